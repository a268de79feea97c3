import { useEffect, useRef } from 'react';
import { keep, take } from '../../lib/tab-storage';

const KEY = 'portico.picture';

/**
 * Returns a function that keeps the picture of now for the next page, which may bring it back. It is kept in this
 * tab's storage. Without storage, or before the picture has loaded, there is nothing to undo.
 */
export function useFormer(picture: string, account: string): () => void {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    image.current = new Image();
    if (picture) image.current.src = picture;
  }, [picture]);
  return () => {
    try {
      const address = picture && drawn(image.current);
      keep(KEY, JSON.stringify([account, address]));
    } catch {}
  };
}

/** The picture as an address. Throws for one that has not loaded. */
function drawn(image: HTMLImageElement | null): string {
  const canvas = document.createElement('canvas');
  const { naturalWidth: width = 0, naturalHeight: height = 0 } = image ?? {};
  if (!image || !width) throw new Error('not loaded');
  Object.assign(canvas, { width, height });
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  return canvas.toDataURL('image/jpeg', 0.95);
}

/** Takes what was kept for the account: the picture before, or "none". */
export function takeFormer(account: string): File | 'none' | undefined {
  const [of, address] = JSON.parse(take(KEY) || '[]') as [string?, string?];
  if (of !== account || address === undefined) return undefined;
  return address ? fileOf(address) : 'none';
}

function fileOf(address: string): File {
  const bytes = Uint8Array.from(atob(address.replace(/^.*,/, '')), (letter) => letter.charCodeAt(0));
  return new File([bytes], 'picture.jpg', { type: 'image/jpeg' });
}
