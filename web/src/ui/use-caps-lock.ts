import { type KeyboardEvent, useState } from 'react';
import { afterPress } from './steady';

type FieldKey = KeyboardEvent<HTMLInputElement>;

/**
 * Whether caps lock is on, and whether it was on for some of the typed characters. A user
 * who switches it off half way has typed half of the password wrong.
 */
export function useCapsLock() {
  const [on, setOn] = useState(false);
  const [wasOn, setWasOn] = useState(false);

  const onKeyDown = (event: FieldKey) => {
    const capsLock = event.getModifierState('CapsLock');
    setOn(capsLock);
    if (!isLetter(event)) return;
    if (capsLock) setWasOn(true);
    else if (replacesAll(event.currentTarget)) setWasOn(false);
  };

  const onKeyUp = (event: FieldKey) => {
    setOn(event.getModifierState('CapsLock'));
    if (!event.currentTarget.value) setWasOn(false);
  };

  return { on, wasOn, onKeyDown, onKeyUp, onBlur: () => afterPress(() => setOn(false)) };
}

const isLetter = ({ key, ctrlKey, metaKey }: FieldKey) =>
  key.length === 1 && key.toLowerCase() !== key.toUpperCase() && !ctrlKey && !metaKey;

const replacesAll = ({ value, selectionStart, selectionEnd }: HTMLInputElement) =>
  (selectionEnd ?? 0) - (selectionStart ?? 0) === value.length;
