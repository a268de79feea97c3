import { expect, test } from 'vitest';
import { show } from '../../tests/render';
import { Whole } from './lead';

test('an address within a link is underlined, and one within a text is not', () => {
  const main = show(
    <p>
      <a href="#mail">
        <Whole>mara@example.com</Whole>
      </a>
      <Whole>no-reply@example.com</Whole>
    </p>,
  );
  const lines = [...main.querySelectorAll('bdi')].map((span) => getComputedStyle(span).textDecorationLine);
  expect(lines).toEqual(['underline', 'none']);
});
