import type { TestProject } from 'vitest/node';
import { build, start } from '../tools/gallery.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    origin: string;
  }
}

/** Builds what is older than its source, and serves every state of the screens to all tests. */
export async function setup(project: TestProject): Promise<() => void> {
  build();
  const { origin, close } = await start();
  project.provide('origin', origin);
  return close;
}
