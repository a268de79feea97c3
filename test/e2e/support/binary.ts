import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The program under test: the release binary, with its screens. */
export const binary =
  process.env['PORTICO_BIN'] ?? fileURLToPath(new URL('../../../bin/portico', import.meta.url));

/** Runs once before all journeys. */
export default function requireBinary(): void {
  try {
    accessSync(binary, constants.X_OK);
  } catch {
    throw new Error(
      `There is no program at ${binary}. Build it first: "npm run build" in web/, then "go build -o bin/portico ./cmd/portico" in the folder above.`,
    );
  }
}
