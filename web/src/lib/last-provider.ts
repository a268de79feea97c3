import { keep, kept } from './storage';

const KEY = 'portico.provider';

/** Notes by which provider this browser went last: its id alone, nothing about a person. */
export const rememberProvider = (id: string) => keep('localStorage', KEY, id);

export const lastProvider = () => kept('localStorage', KEY);
