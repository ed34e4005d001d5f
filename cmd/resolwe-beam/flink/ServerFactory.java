package org.apache.beam.sdk.fn.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.beam.model.pipeline.v1.Endpoints;
import org.apache.beam.vendor.grpc.v1p60p1.io.grpc.BindableService;
import org.apache.beam.vendor.grpc.v1p60p1.io.grpc.Server;
import org.apache.beam.vendor.grpc.v1p60p1.io.grpc.ServerInterceptors;
import org.apache.beam.vendor.grpc.v1p60p1.io.grpc.netty.NettyServerBuilder;

/** In the place of Beam's, which listens on all interfaces, whatever host is named: this one listens on loopback only. */
public class ServerFactory {
  private final Supplier<Integer> port;

  private ServerFactory(Supplier<Integer> port) {
    this.port = port;
  }

  public static ServerFactory createDefault() {
    return new ServerFactory(() -> 0);
  }

  public static ServerFactory createWithPortSupplier(Supplier<Integer> port) {
    return new ServerFactory(port);
  }

  public Server allocateAddressAndCreate(List<BindableService> services, Endpoints.ApiServiceDescriptor.Builder to)
      throws IOException {
    Server server = create(services, port.get());
    to.setUrl("localhost:" + server.getPort());
    return server;
  }

  public Server create(List<BindableService> services, Endpoints.ApiServiceDescriptor at) throws IOException {
    String url = at.getUrl();
    return create(services, Integer.parseInt(url.substring(url.lastIndexOf(':') + 1)));
  }

  private static Server create(List<BindableService> services, int port) throws IOException {
    NettyServerBuilder server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .maxInboundMessageSize(Integer.MAX_VALUE)
            .permitKeepAliveTime(20, TimeUnit.SECONDS);
    for (BindableService s : services) {
      server.addService(ServerInterceptors.intercept(s, GrpcContextHeaderAccessorProvider.interceptor()));
    }
    return server.build().start();
  }
}
