import type { ReactNode } from 'react';
import { When } from '../lib/template';
import { PATHS } from './provider-paths';

const MARKS: Record<string, ReactNode> = {
  google: (
    <g fill="none" strokeWidth="4.2">
      <path stroke="#ea4335" d="M18.2 6.1A8.5 8.5 0 0 0 4.8 7.5" />
      <path stroke="#fbbc05" d="M4.8 7.5a8.5 8.5 0 0 0 0 9" />
      <path stroke="#34a853" d="M4.8 16.5a8.5 8.5 0 0 0 12.7 2" />
      <path stroke="#4285f4" d="M17.5 18.5a8.5 8.5 0 0 0 2.9-6.4H12" />
    </g>
  ),
  microsoft: (
    <>
      <path fill="#f25022" d="M2 2h9.5v9.5H2z" />
      <path fill="#7fba00" d="M12.5 2H22v9.5h-9.5z" />
      <path fill="#00a4ef" d="M2 12.5h9.5V22H2z" />
      <path fill="#ffb900" d="M12.5 12.5H22V22h-9.5z" />
    </>
  ),
  apple: (
    <path d="M16.6 12.6c0-2.3 1.9-3.4 2-3.5-1.1-1.6-2.8-1.8-3.4-1.8-1.4-.1-2.8.9-3.5.9s-1.9-.8-3-.8c-1.6 0-3 .9-3.8 2.3-1.6 2.8-.4 7 1.2 9.3.8 1.1 1.7 2.4 2.9 2.3 1.2 0 1.6-.7 3-.7s1.8.7 3 .7 2.1-1.1 2.8-2.3c.9-1.3 1.3-2.6 1.3-2.6s-2.5-1-2.5-3.8zM14.3 5.9c.6-.8 1.1-1.9 1-3-.9 0-2.1.6-2.7 1.4-.6.7-1.1 1.8-1 2.9 1 .1 2.1-.5 2.7-1.3z" />
  ),
  github: (
    <path
      fillRule="evenodd"
      d="M12 1.5a10.7 10.7 0 0 0-3.4 20.8c.5.1.7-.2.7-.5v-2c-3 .6-3.6-1.3-3.6-1.3-.5-1.2-1.2-1.6-1.2-1.6-1-.7.1-.7.1-.7 1.1.1 1.6 1.1 1.6 1.1 1 1.6 2.5 1.2 3.1.9.1-.7.4-1.2.7-1.5-2.4-.3-4.9-1.2-4.9-5.3 0-1.2.4-2.1 1.1-2.9-.1-.2-.5-1.3.1-2.8 0 0 .9-.3 2.9 1.1a10 10 0 0 1 5.4 0c2-1.4 2.9-1.1 2.9-1.1.6 1.5.2 2.6.1 2.8.7.8 1.1 1.7 1.1 2.9 0 4.1-2.5 5-4.9 5.3.4.3.7 1 .7 2v2.9c0 .3.2.6.7.5A10.7 10.7 0 0 0 12 1.5z"
    />
  ),
  gitlab: (
    <>
      <path fill="#e24329" d="M12 22L2 14.3 5 3.6l2.8 6.6h8.4L19 3.6l3 10.7z" />
      <path fill="#fc6d26" d="M12 22L2 14.3l.9-3.3 4.9-.8zM12 22l10-7.7-.9-3.3-4.9-.8z" />
      <path fill="#fca326" d="M12 22L7.8 10.2h8.4z" />
    </>
  ),
  discord: (
    <path
      fill="#5865f2"
      fillRule="evenodd"
      d="M19.6 5.2A17 17 0 0 0 15.3 3.8l-.6 1.2a15.6 15.6 0 0 0-5.4 0l-.6-1.2A17 17 0 0 0 4.4 5.2C1.7 9.2 1 13.2 1.4 17.1a17 17 0 0 0 5.2 2.7l1.2-1.9c-.6-.2-1.2-.5-1.8-.9l.5-.3a12.2 12.2 0 0 0 11 0l.5.3c-.6.4-1.2.7-1.8.9l1.2 1.9a17 17 0 0 0 5.2-2.7c.5-4.5-.7-8.5-3-11.9zM8.5 14.7c-1.1 0-1.9-1-1.9-2.1s.8-2.2 1.9-2.2 2 1 1.9 2.2c0 1.1-.8 2.1-1.9 2.1zm7 0c-1.1 0-1.9-1-1.9-2.1s.8-2.2 1.9-2.2 2 1 1.9 2.2c0 1.1-.8 2.1-1.9 2.1z"
    />
  ),
  facebook: (
    <>
      <circle cx="12" cy="12" r="11" fill="#0866ff" />
      <path
        fill="#fff"
        d="M13.7 22.9v-7.6h2.7l.5-3.2h-3.2V10c0-.9.4-1.7 1.8-1.7h1.5V5.5s-1.3-.2-2.5-.2c-2.6 0-4.2 1.5-4.2 4.4v2.4H7.4v3.2h2.9v7.6a11 11 0 0 0 3.4 0z"
      />
    </>
  ),
  linkedin: (
    <>
      <rect x="1.5" y="1.5" width="21" height="21" rx="2.5" fill="#0a66c2" />
      <path
        fill="#fff"
        d="M4.8 9.5h3v9.7h-3zM6.3 4.7a1.75 1.75 0 1 1 0 3.5 1.75 1.75 0 0 1 0-3.5zM9.7 9.5h2.9v1.3c.5-.9 1.5-1.5 2.9-1.5 2.9 0 3.7 1.7 3.7 4.4v5.5h-3v-5c0-1.3-.2-2.4-1.6-2.4s-1.9 1-1.9 2.4v5h-3z"
      />
    </>
  ),
  openid: (
    <>
      <path
        fill="#8a93a3"
        d="M11 7.6C5.5 8 1.5 10.7 1.5 14.2c0 3.7 4.3 6.5 9.5 7v-2.3c-3.6-.5-6.4-2.3-6.4-4.7 0-2.2 2.7-4 6.4-4.5zM14.3 9.7c1.5.2 2.9.7 4 1.3l-1.7 1 5.9 1.3-.5-4.5-1.6.9c-1.6-1-3.7-1.8-6.1-2z"
      />
      <path fill="#f38020" d="M11 4.3l3.3-1.6v16.9L11 21.2z" />
    </>
  ),
};

/**
 * The logo of a provider, in the place of a Button's picture. The operator's own picture
 * replaces it. A provider without a preset has the logo of OpenID.
 */
export function ProviderIcon({ icon, picture }: { icon: string; picture: string }) {
  const marks = {
    ...MARKS,
    ...Object.fromEntries(
      Object.entries(PATHS).map(([name, [fill, d]]) => [name, <path key={name} fill={fill} d={d} />]),
    ),
  };
  return (
    <>
      <When value={picture}>
        <img src={picture} alt="" width="20" height="20" fetchPriority="low" />
      </When>
      {Object.keys(marks).map((name) => (
        <When key={name} value={icon} is={name}>
          <svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
            {marks[name]}
          </svg>
        </When>
      ))}
    </>
  );
}
