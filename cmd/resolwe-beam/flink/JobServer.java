import org.apache.beam.runners.flink.FlinkJobServerDriver;

/** Beam's job server without the archives that it would copy to the cluster with each job, where they are already. */
public class JobServer {
  public static void main(String[] args) throws Exception {
    System.setProperty("java.class.path", "");
    FlinkJobServerDriver.main(args);
  }
}
