import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A virtual display, for browsers that need a window. */
export class Display {
  readonly name: string;
  readonly #server: ChildProcess;

  private constructor(name: string, server: ChildProcess) {
    this.name = name;
    this.#server = server;
  }

  /** Xvfb chooses a free display number and writes it to file descriptor 3 when it is ready. */
  static async start(): Promise<Display> {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    process.once('exit', () => server.kill());
    const pipe = server.stdio[3];
    if (!pipe) throw new Error('Xvfb has no descriptor to write its number to');
    const number = await Promise.race([
      once(pipe, 'data').then(([data]) => String(data).trim()),
      once(server, 'exit').then(([status]) => Promise.reject(new Error(`Xvfb ended with status ${status}`))),
    ]);
    return new Display(`:${number}`, server);
  }

  async stop(): Promise<void> {
    const ended = once(this.#server, 'exit');
    this.#server.kill();
    await ended;
  }
}
