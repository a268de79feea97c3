import { createContext, useContext } from 'react';
import { createText, type Text } from './text';

const Words = createContext<Text>(createText('en', {}));

export const TextProvider = Words.Provider;

/** The words of the document's locale. */
export const useText = () => useContext(Words);
