import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { show } from '../../../tests/render';
import { SHAPE } from '../../api/shape.gen.mjs';
import { screen } from './account-data';

test('a second press soon after the first asks for no second file', async () => {
  let sent = 0;
  document.addEventListener('submit', (event) => {
    if (!event.defaultPrevented) sent += 1;
    event.preventDefault();
  });
  const button = show(<screen.View boot={SHAPE} />).querySelector('form[action$=data] button');
  await userEvent.dblClick(button as Element);
  expect(sent).toBe(1);
  expect(document.body.textContent).toContain('account-data.begun');
});
