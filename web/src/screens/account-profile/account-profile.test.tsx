import { expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { show } from '../../../tests/render';
import { SHAPE } from '../../api/shape.gen.mjs';
import { screen } from './account-profile';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const LANGUAGES = ['en', 'de'].map((id) => ({ id, name: id, chosen: id === 'en' ? 'yes' : '' }));

/** The page as the server sends it to an account. */
async function arrive(id: string) {
  show(
    <screen.View
      boot={{
        ...SHAPE,
        session: { ...SHAPE.session, id },
        values: { ...SHAPE.values, name: 'Mara' },
        account: { ...SHAPE.account, languages: LANGUAGES },
      }}
    />,
  );
  await new Promise(requestAnimationFrame); // its effects
  return [field<HTMLInputElement>('name').value, field<HTMLSelectElement>('locale').value];
}

const field = <T extends Element>(name: string) => document.querySelector<T>(`[name=${name}]`) as T;

test.each([
  ['its account', 'p1', ['Mara L.', 'de']],
  ['no other account', 'p2', ['Mara', 'en']],
])('what is typed stays when a picture is sent, for %s', async (_, next, typed) => {
  const left = new Promise((done) => {
    document.addEventListener('submit', (event) => {
      event.preventDefault();
      done(event);
    });
  });
  await arrive('p1');
  await userEvent.fill(field('name'), 'Mara L.');
  await userEvent.selectOptions(field('locale'), 'de');
  const bytes = Uint8Array.from(atob(PNG), (letter) => letter.charCodeAt(0));
  await userEvent.upload(field('picture'), new File([bytes], 'me.png', { type: 'image/png' }));
  await left;
  expect(await arrive(next)).toEqual(typed);
  expect(await arrive('p1'), 'once').toEqual(['Mara', 'en']);
});
