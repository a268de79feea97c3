'use client';
export { SignedIn, SignedOut, useSession } from './session.js';
export { UserButton } from './user-button.js';
