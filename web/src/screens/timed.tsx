import type { Moment } from '../api/schema.gen';
import { Split } from '../lib/split';

/** A text with a time in the place of {time}. The script writes the time in the zone of the browser. */
export const Timed = ({ words, of }: { words: string; of: Moment }) => (
  <span>
    <Split words={words} at="{time}">
      <time dateTime={of.at}>{of.words}</time>
    </Split>
  </span>
);
