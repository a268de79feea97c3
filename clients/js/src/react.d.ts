export interface Session {
  user: { id: string; email: string; name: string; roles: string[] };
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

/**
 * The current session. The hook asks when it is mounted, when the window is used again, and after a sign-in in place.
 * `refresh` asks at once. While Portico does not answer, the last result stays.
 */
export function useSession(options?: {
  /** Answers as `/auth/api/session` does: an app on a host of its own serves it itself. */
  url?: string;
}): SessionState & { refresh: () => void };
