/** Pixels on each side that are enough for the server, which draws the picture again. */
const SIDE = 512;

/** The kinds and limits of the server (internal/picture/portrait.go). */
export const KINDS = ['image/png', 'image/jpeg', 'image/gif'];
const BYTES = 2 << 20;
const PIXELS = 4 << 20;

/**
 * Draws the middle of a picture in a small square, so that the server takes the photo of a phone, or a WebP.
 * It leaves a picture that the server takes alone: some browsers put noise into what is drawn, as a protection.
 */
export async function shrunk(file: File): Promise<File | undefined> {
  const picture = await createImageBitmap(file);
  if (KINDS.includes(file.type) && file.size <= BYTES && picture.width * picture.height <= PIXELS) {
    picture.close();
    return undefined;
  }
  const side = Math.min(picture.width, picture.height);
  const canvas = document.createElement('canvas');
  canvas.width = Math.min(side, SIDE);
  canvas.height = canvas.width;
  const [x, y] = [(picture.width - side) / 2, (picture.height - side) / 2];
  canvas.getContext('2d')?.drawImage(picture, x, y, side, side, 0, 0, canvas.width, canvas.height);
  picture.close();
  const drawn = await new Promise<Blob | null>((done) => canvas.toBlob(done));
  return drawn ? new File([drawn], file.name, { type: drawn.type }) : undefined;
}
