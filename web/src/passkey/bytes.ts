/** Base64url without padding, as the API writes bytes. Not every browser with passkeys has it. */
export const bytesOf = (text: string): ArrayBuffer =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0)).buffer;

export const textOf = (bytes: ArrayBuffer | null): string =>
  btoa(Array.from(new Uint8Array(bytes ?? new ArrayBuffer()), (b) => String.fromCharCode(b)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
