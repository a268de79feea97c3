import { beforeEach, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { show, violations } from '../../tests/render';
import { CodeField } from './code-field';

const submitted = vi.fn();
let field: HTMLInputElement;

beforeEach(() => {
  submitted.mockReset();
  render();
});

function render(lengths: { shortest?: string; longest?: string } = {}) {
  show(
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submitted(new FormData(event.currentTarget).get('code'));
      }}
    >
      <CodeField label="6-digit code" hint="Checked once complete" error="" {...lengths} />
      <button type="submit" style={{ minHeight: 24 }}>
        Verify
      </button>
    </form>,
  );
  field = page.getByLabelText('6-digit code').element() as HTMLInputElement;
  field.focus();
}

const boxesShown = () => [...document.querySelectorAll('i')].filter((box) => box.offsetWidth > 0);
const caretAt = (place: number) => field.setSelectionRange(place, place);

function paste(text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  if (field.dispatchEvent(event)) document.execCommand('insertText', false, text); // the default action of the browser
}

test('is one field that managers and screen readers know', async () => {
  expect(document.querySelectorAll('input')).toHaveLength(1);
  expect(field).toMatchObject({
    type: 'text',
    inputMode: 'numeric',
    autocomplete: 'one-time-code',
    required: true,
    maxLength: -1,
  });
  expect(document.activeElement).toBe(field);
  expect(await violations()).toEqual([]);
});

test.each([
  '123456',
  '123 456',
  '123-456',
  'Your code is 123456',
  'Your code is 123 456',
  '１２３４５６',
  '١٢٣٤٥٦',
  ' 123456\n',
  '1234567',
])('takes %j from a paste and sends it once', async (text) => {
  paste(text);
  expect(field.value).toBe('123456');
  expect(submitted.mock.calls).toEqual([['123456']]);
});

test.each([
  ['123456', true],
  ['894 529', true],
  ['Your code is 894-529.', true],
  ['١٢٣ ٤٥٦', true],
  ['12345', false],
  ['1234567', false],
  ['no digits', false],
])('a browser without script takes %j: %s', (text, valid) => {
  field.value = text;
  expect(field.validity.valid).toBe(valid);
});

test('a paste replaces what was there, wherever the caret stands', () => {
  document.execCommand('insertText', false, '99');
  field.setSelectionRange(1, 1);
  paste('Your code is 123 456');
  expect(field.value).toBe('123456');
});

test('takes autofill, which is an input event and no paste', () => {
  document.execCommand('insertText', false, '654321');
  expect(field.value).toBe('654321');
  expect(submitted.mock.calls).toEqual([['654321']]);
});

test('keeps digits only while typing, ignores a seventh, deletes one at a time', async () => {
  await userEvent.keyboard('12a34 5-67');
  expect(field.value).toBe('123456');
  await userEvent.keyboard('{Backspace}{Backspace}');
  expect(field.value).toBe('1234');
});

test('sends itself once a code, again after it was changed, and by the button at any time', async () => {
  await userEvent.keyboard('123456');
  field.dispatchEvent(new InputEvent('input', { bubbles: true })); // browsers fire it twice on autofill
  expect(submitted).toHaveBeenCalledTimes(1);
  await page.getByRole('button', { name: 'Verify' }).click();
  expect(submitted).toHaveBeenCalledTimes(2);
  field.focus();
  caretAt(6);
  await userEvent.keyboard('{Backspace}7');
  expect(submitted.mock.calls.at(-1)).toEqual(['123457']);
});

test('a digit that changes the middle of a code is never sent by itself', async () => {
  await userEvent.keyboard('123456');
  expect(submitted).toHaveBeenCalledTimes(1);
  caretAt(2);
  await userEvent.keyboard('9');
  expect(field.value).toBe('129345');
  caretAt(2);
  await userEvent.keyboard('{Backspace}7');
  expect(field.value).toBe('179345');
  expect(submitted).toHaveBeenCalledTimes(1);
  await page.getByRole('button', { name: 'Verify' }).click();
  expect(submitted.mock.calls.at(-1)).toEqual(['179345']);
});

test('a click or the focus selects a complete code, and typing replaces it', async () => {
  await userEvent.keyboard('123456');
  await userEvent.click(field, { position: { x: 60, y: 20 } });
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 6]);
  await userEvent.keyboard('654');
  expect(field.value).toBe('654');
  await userEvent.keyboard('321');
  expect(submitted.mock.calls).toEqual([['123456'], ['654321']]);
  field.blur();
  field.focus();
  expect([field.selectionStart, field.selectionEnd]).toEqual([0, 6]);
});

test('a click into an incomplete code only moves the caret', async () => {
  await userEvent.keyboard('123');
  await userEvent.click(field, { position: { x: 20, y: 20 } });
  expect(field.selectionEnd).toBe(field.selectionStart);
});

test('a password manager that replaces a code by its own event sends the new one', async () => {
  await userEvent.keyboard('123456');
  field.value = '654321';
  field.dispatchEvent(new Event('input', { bubbles: true }));
  expect(submitted.mock.calls).toEqual([['123456'], ['654321']]);
});

test('digits of another script are taken one by one', async () => {
  for (const digit of '١٢٣٤٥٦') document.execCommand('insertText', false, digit);
  expect(submitted.mock.calls).toEqual([['123456']]);
});

test('marks the box that takes the next digit', async () => {
  const next = () => [...document.querySelectorAll('i')].findIndex((box) => box.dataset['next'] === 'true');
  expect(next()).toBe(0);
  await userEvent.keyboard('123');
  expect(next()).toBe(3);
});

test.each(['6', '7', '8'])('each of %s digits stands in the middle of its box', async (length) => {
  render({ shortest: length, longest: length });
  await userEvent.keyboard('0'.repeat(Number(length)));
  const canvas = new OffscreenCanvas(1, 1).getContext('2d') as OffscreenCanvasRenderingContext2D;
  const { font, letterSpacing, paddingInlineStart } = getComputedStyle(field);
  canvas.font = font;
  const digit = canvas.measureText('0').width;
  const boxes = boxesShown().map((box) => box.getBoundingClientRect());
  const left = field.getBoundingClientRect().left + Number.parseFloat(paddingInlineStart);
  boxes.forEach((box, i) => {
    const middle = left + i * (digit + Number.parseFloat(letterSpacing)) + digit / 2;
    expect(Math.abs(middle - (box.left + box.width / 2))).toBeLessThan(1.5);
  });
});

test('has as many boxes as the code may have digits', () => {
  expect(boxesShown()).toHaveLength(6);
  render({ shortest: '7', longest: '7' });
  expect(boxesShown()).toHaveLength(7);
  render({ shortest: '6', longest: '8' });
  expect(boxesShown()).toHaveLength(8);
});

test('a code of eight digits sends itself with the eighth, typed, pasted or filled in', async () => {
  render({ shortest: '8', longest: '8' });
  await userEvent.keyboard('1234567');
  expect(submitted).not.toHaveBeenCalled();
  expect(field.validity.patternMismatch).toBe(true);
  await userEvent.keyboard('8');
  paste('Your code is 8765 4321');
  document.execCommand('insertText', false, '11223344');
  expect(submitted.mock.calls).toEqual([['12345678'], ['87654321'], ['11223344']]);
});

test('with apps of two lengths, a shorter code is sent when it is pasted, and a typed one by the button', async () => {
  render({ shortest: '6', longest: '8' });
  paste('123 456');
  expect(submitted.mock.calls).toEqual([['123456']]);
  field.value = '';
  await userEvent.keyboard('654321');
  expect(submitted).toHaveBeenCalledTimes(1);
  await userEvent.keyboard('{Enter}');
  expect(submitted.mock.calls).toEqual([['123456'], ['654321']]);
});
