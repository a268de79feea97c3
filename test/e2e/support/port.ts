import { createServer, type Server } from 'node:net';

/** Free ports on the loopback address, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, hold));
  const ports = held.map((server) => portOf(server));
  await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  return ports;
}

function hold(): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** The port of a listening server. */
export function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  return address.port;
}
