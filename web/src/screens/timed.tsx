import type { Moment } from '../api/schema.gen';

/** A text with a time in the place of {time}. The script writes the time in the zone of the browser. */
export function Timed({ words, of }: { words: string; of: Moment }) {
  const [before, after] = words.split('{time}');
  return (
    <span>
      {before}
      <time dateTime={of.at}>{of.words}</time>
      {after}
    </span>
  );
}
