import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Free ports on the loopback address, all different. They are below the range that Linux gives to
 * outgoing connections, one of which could take a port before the program listens.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, hold));
  const ports = servers.map((server) => portOf(server));
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

async function hold(): Promise<Server> {
  for (;;) {
    const server = createServer();
    server.listen(randomInt(20_000, 32_000), '127.0.0.1');
    try {
      await once(server, 'listening');
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** The port of a listening server. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address.port;
}
