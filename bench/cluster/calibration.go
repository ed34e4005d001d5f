package cluster

// Stages that have been measured.
const (
	Select = "select"
	Learn  = "learn"
	Infer  = "infer"
)

// Measured returns what a stage took on the generated WikiCollabs stream at the paper's size (1785 subgraphs) on one core
// of a virtual machine, as user and system time over subgraphs. Subgraphs is 0, to be set. An unknown stage has no cost.
//
//	resolwe gen wikicollabs -o W.rsg && resolwe pack wikicollabs.mln W.rsg --shards 8 -o W
//	time resolwe select wikicollabs.mln --stream W.rsg --k2 1785                        # 3.6 to 4.3 s
//	time resolwe learn selected.mln --stream W.rsg --skip 30                            # 24 to 25 s, 1755 subgraphs
//	time resolwe infer weighted.mln --stream A.rsg                                      # 39 s, 53 subgraphs
//
// CV is that of the counting time of single subgraphs (1.8 on the Delicious stream), ShardCV that of the time of select
// on each of the eight shards (0.02 of learn), Bytes the stream's, ShardBytes what each of the shards but one repeats.
func Measured(stage string) Task {
	t := Task{CV: 0.8, ShardCV: 0.05, Bytes: 0.92e6, ShardBytes: 29e6, Epochs: 1}
	switch stage {
	case Select:
		t.Cost = 0.0021
	case Learn:
		t.Cost, t.Epochs = 0.014, 5
	case Infer:
		t.Cost = 0.74
	}
	return t
}

// Assumed returns a cluster of so many cores whose other parameters nobody has measured: machines of 16 cores, one in
// twenty of them at half the speed, one loss in 200 machine hours, shards copied at 2 Gbit/s onto a disk of 100 GB, and an engine that takes a
// minute to begin a job.
func Assumed(cores int) Cluster {
	return Cluster{
		Cores: cores, MachineCores: 16, JobStart: 60, ShardStart: 1, Bandwidth: 250e6, Disk: 100e9,
		Slow: 0.05, Slowdown: 2, Loss: 0.005, Restart: 180, Price: 0.05,
	}
}
