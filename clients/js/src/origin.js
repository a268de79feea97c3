const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** @param {string} url scheme://host[:port] */
export function origin(url) {
  const u = new URL(url);
  if (!/^https?:$/.test(u.protocol) || u.pathname !== '/' || u.search || u.hash || u.username)
    throw new TypeError(`${url} is not of the form https://example.com`);
  return u;
}

/**
 * The origin of a public_url. Only on this machine may it lack TLS.
 * @param {string} url @param {string} harm what anybody on the way could do without TLS
 */
export function secureOrigin(url, harm) {
  const u = origin(url);
  if (u.protocol === 'http:' && !LOOPBACK.test(u.hostname))
    throw new TypeError(`${url} must begin with https://: without it anybody on the way can ${harm}`);
  return u;
}
