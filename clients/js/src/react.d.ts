import type { ReactNode } from 'react';

export interface Session {
  user: { id: string; email: string; name: string; roles: string[]; picture?: string };
  session: {
    id: string;
    created_at: string;
    authenticated_at: string;
    expires_at: string;
    idle_expires_at: string;
    methods: string[];
  };
}

export type SessionState =
  | { status: 'loading' | 'signed-out' | 'unavailable'; session: null }
  | { status: 'signed-in'; session: Session };

/** Where a component asks who is signed in. */
export interface Source {
  /** Answers as `/auth/api/session` does: an app on a host of its own serves it itself. */
  url?: string | undefined;
}

/**
 * The current session. All components of a page share one answer. It is asked for when the first is mounted, when the
 * window is used again, and after a sign-in in place. `refresh` asks at once. While Portico does not answer, the last
 * result stays. On a server, and until the first answer, the status is `loading`.
 */
export function useSession(source?: Source): SessionState & { refresh: () => void };

/** Its children, for who is signed in. For display only: they are in the script of the page for everybody. */
export function SignedIn(props: Source & { children?: ReactNode }): ReactNode;

/** Its children, for who is not signed in. Nothing while that is not known. */
export function SignedOut(props: Source & { children?: ReactNode }): ReactNode;

/** The picture or the initials of the user: a button that opens a menu with the name, the account and signing out. */
export function UserButton(
  props: Source & {
    /** The words of the menu. Default: in the language of the page, if Portico has it, else in English. */
    labels?: { account: string; signOut: string };
  },
): ReactNode;
