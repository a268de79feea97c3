import { generateKeyPairSync, sign } from 'node:crypto';

/** ASN.1, in DER: a value of a type, made of the bytes of others. */
function der(type: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}

const sequence = (...parts: Buffer[]) => der(0x30, ...parts);
const time = (year: number) => der(0x18, Buffer.from(`${year}0101000000Z`));

const ECDSA_WITH_SHA256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));

/** A certificate that signs itself, for a browser that asks for no other (RFC 5280). */
export function selfSigned(): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nameless = sequence();
  const year = new Date().getUTCFullYear();
  const serial = der(0x02, Buffer.from([1]));
  const holder = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(
    serial,
    ECDSA_WITH_SHA256,
    nameless,
    sequence(time(year), time(year + 2)),
    nameless,
    holder,
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const cert = sequence(body, ECDSA_WITH_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
