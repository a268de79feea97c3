import type { Importing } from './types';

const SYSTEMS: Record<NonNullable<Importing['from']>, string> = {
  '': 'Told by its content',
  keycloak: 'Keycloak',
  auth0: 'Auth0',
  clerk: 'Clerk',
  firebase: 'Firebase',
  supabase: 'Supabase',
  kratos: 'Ory Kratos',
  authelia: 'Authelia',
  'better-auth': 'Better Auth',
  zitadel: 'Zitadel',
  'pocket-id': 'Pocket ID',
  cognito: 'Amazon Cognito',
  csv: 'CSV',
  portico: 'JSON lines of Portico',
};

/** The form of a file, for the API. */
export const ordered = (values: FormData): Importing => {
  const text = (name: string) => String(values.get(name)).trim();
  return {
    update: values.has('update'),
    keep_subject: values.has('keep_subject'),
    issuer: text('issuer'),
    from: text('from') as keyof typeof SYSTEMS,
    parameters: text('parameters')
      .split(/\s*\n\s*/)
      .filter(Boolean),
    known_email: text('known_email'),
    known_password: String(values.get('known_password')),
  };
};

/** What an export does not say about itself. Most need nothing of it. */
export const About = () => (
  <details className="import-about">
    <summary>What the file does not say itself</summary>
    <label className="field">
      Written by
      <select name="from">
        {Object.entries(SYSTEMS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
    <label className="field">
      Issuer of the former IDs
      <input type="text" name="issuer" autoComplete="off" placeholder="https://" />
    </label>
    <label className="field">
      Parameters
      <textarea
        name="parameters"
        className="data"
        rows={4}
        spellCheck={false}
        dir="ltr"
        aria-describedby="import-parameters"
      />
    </label>
    <p id="import-parameters" className="muted">
      One NAME=VALUE on each line. Firebase needs signer_key, salt_separator, rounds and mem_cost. Passkeys
      need rp_id, their former host.
    </p>
    <label className="field">
      Email of a person whose password you know
      <input type="text" name="known_email" inputMode="email" autoComplete="off" />
    </label>
    <label className="field">
      Password of this person in the former system
      <input type="password" name="known_password" autoComplete="off" aria-describedby="import-known" />
    </label>
    <p id="import-known" className="muted">
      If it does not fit the file, nothing can be imported.
    </p>
  </details>
);
