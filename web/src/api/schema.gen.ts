// Made from the handlers by go generate ./internal/server/api; do not edit.

export interface AcceptTerms {
  flow: string;
  terms?: string;
}

export interface Account {
  password: '' | 'none' | 'only' | 'removable';
  languages: Choice[];
  history: Event[];
  signins: string;
  older: string;
  apps: App[];
  browsers: TrustedBrowser[];
  providers: LinkedProvider[];
  erase_at: Moment;
  picture: string;
  initials: string;
  sessions: OwnSession[];
  others: string;
  addresses: OtherAddress[];
  primary: string;
  alerts: Alert[];
  states: SectionStates;
}

export interface AddFactor {
  account: string;
  return_to?: string;
}

export interface AddFirstPasskey {
  flow: string;
  credential: string;
  client_data: string;
  attestation: string;
  transports?: string;
}

export interface AddPasskey {
  account: string;
  credential: string;
  client_data: string;
  attestation: string;
  transports?: string;
  quiet?: '' | 'yes';
}

export interface AdminActor {
  kind: string;
  id: string;
  address: string;
  name: string;
}

export interface AdminAddress {
  address: string;
  use: string;
  added_at: string;
  until: string;
}

export interface AdminAddressed {
  email: string;
}

export interface AdminApp {
  id: string;
  name: string;
  scopes: string[];
  created_at: string;
}

export interface AdminBoot {
  user: AdminSelf;
  brand: AdminBrand;
  events: AdminKind[];
}

export interface AdminBrand {
  name: string;
  logo: string;
}

export interface AdminBrowser {
  id: string;
  browser: string;
  created_at: string;
  ends_at: string;
}

export interface AdminBulk {
  action: 'end-sessions' | 'disable' | 'enable' | 'give-role' | 'take-role';
  role?: string;
  people?: string[];
  all?: boolean;
  filter?: string;
  try?: boolean;
}

export interface AdminCheck {
  name: string;
  state: 'ok' | 'warning' | 'failed' | 'skipped';
  words: string;
  do: string;
}

export interface AdminClaims {
  claims: string;
  before?: string;
}

export interface AdminCount {
  name: string;
  count: number;
}

export interface AdminCounts {
  totp: number;
  passkeys: number;
  recovery_codes: number;
}

export interface AdminDeliveries {
  webhook: AdminWebhook;
  deliveries: AdminDelivery[];
  next?: string;
}

export interface AdminDelivery {
  id: string;
  state: 'waiting' | 'held' | 'delivered' | 'dropped';
  type: string;
  change: string;
  person: string;
  at: string;
  due_at: string;
  tried_at: string;
  ended_at: string;
  failures: number;
  status: number;
  answer: string;
}

export interface AdminEmail {
  id: string;
  template: string;
  state: string;
  answer: string;
  asked_at: string;
  at: string;
  again: boolean;
}

export interface AdminEnded {
  ended: number;
}

export interface AdminEnds {
  at: string;
}

export interface AdminErased {
  until: string;
}

export interface AdminEvent {
  id: string;
  at: string;
  kind: 'event' | 'account';
  what: string;
  words: string;
  actor: AdminActor;
  detail: string;
  network: string;
  browser: string;
  request_id: string;
}

export interface AdminExplained {
  allowed: boolean;
  words: string[];
  claims: string;
}

export interface AdminFact {
  id: string;
  at: string;
  kind: string;
  words: string;
  person: AdminSubject;
  actor: AdminActor;
  network: string;
  browser: string;
  request_id: string;
  detail: string;
}

export interface AdminImport {
  id: string;
  state: 'open' | 'checked' | 'running' | 'done' | 'failed';
  from: string;
  update: boolean;
  plan: AdminImportSum;
  did: AdminImportSum;
  problems: AdminProblem[];
  job: AdminJob;
}

export interface AdminImportStart {
  skip_bad?: boolean;
}

export interface AdminImportSum {
  created: number;
  changed: number;
  unchanged: number;
  refused: number;
  with: AdminCount[];
  changes: AdminCount[];
  left_out: AdminCount[];
  unknown_fields: AdminCount[];
  missing_fields: AdminMissing[];
}

export interface AdminImporting {
  from?: '' | 'keycloak' | 'auth0' | 'clerk' | 'firebase' | 'supabase' | 'kratos' | 'authelia' | 'better-auth' | 'zitadel' | 'pocket-id' | 'cognito' | 'csv' | 'portico';
  issuer?: string;
  update?: boolean;
  keep_subject?: boolean;
  parameters?: string[];
  known_email?: string;
  known_password?: string;
}

export interface AdminInvitation {
  id: string;
  address: string;
  first: boolean;
  roles: string[];
  state: 'open' | 'sent' | 'delivered' | 'refused' | 'opened' | 'used' | 'ended';
  answer: string;
  used: number;
  most: number;
  sent_at: string;
  ends_at: string;
  by: string;
}

export interface AdminInvitations {
  invitations: AdminInvitation[];
  next?: string;
  searched?: boolean;
}

export interface AdminInvite {
  addresses: string;
  roles?: string[];
  account_ends_at?: string;
  text?: string;
  try?: boolean;
}

export interface AdminInviteMany {
  roles?: string[];
  account_ends_at?: string;
  uses: string;
  ends_at: string;
}

export interface AdminJob {
  id: string;
  action: 'end-sessions' | 'disable' | 'enable' | 'give-role' | 'take-role' | 'import';
  role: string;
  state: 'tried' | 'draft' | 'running' | 'done' | 'failed';
  reason: '' | 'account' | 'role' | 'changed' | 'key' | 'file' | 'stopped' | 'restored';
  done: number;
  total: number;
  more: boolean;
  skips: number;
  skipped: AdminSkip[];
  created_at: string;
  ended_at: string;
  by: string;
}

export interface AdminJobs {
  jobs: AdminJob[];
}

export interface AdminJudged {
  lines: AdminLine[];
}

export interface AdminKey {
  id: string;
  name: string;
  scopes: string[];
  state: 'working' | 'stopped' | 'ended';
  created_at: string;
  ends_at: string;
  used_at: string;
  network: string;
  owner: string;
  secrets: number;
}

export interface AdminKeyEnd {
  ends_at?: string;
}

export interface AdminKeyMade {
  key: AdminKey;
  secret: string;
}

export interface AdminKeyWanted {
  name: string;
  scopes: string[];
  ends_at?: string;
}

export interface AdminKeys {
  keys: AdminKey[];
  scopes: string[];
  next?: string;
}

export interface AdminKind {
  kind: string;
  words: string;
}

export interface AdminLimit {
  name: string;
  words: string;
  used: number;
  count: number;
  refuses: boolean;
  ends_at: string;
}

export interface AdminLine {
  line: number;
  address: string;
  verdict: 'ok' | 'malformed' | 'exists' | 'invited' | 'twice' | 'domain' | 'held' | 'unsent';
}

export interface AdminLinkMade {
  link: string;
}

export interface AdminLinked {
  until: string;
}

export interface AdminListedApp {
  id: string;
  kind: 'app' | 'client' | 'registered';
  name: string;
  addresses: string[];
  rules: string[];
  claims: string[];
  source: string;
  block: string;
  created_at: string;
  ends_at: string;
}

export interface AdminListedApps {
  apps: AdminListedApp[];
}

export interface AdminMail {
  messages: AdminUnsent[];
  more: number;
}

export interface AdminMissing {
  field: string;
  brings: string;
}

export interface AdminNamed {
  name: string;
}

export interface AdminNode {
  id: string;
  host: string;
}

export interface AdminPeople {
  people: AdminRow[];
  next?: string;
  searched?: boolean;
}

export interface AdminPerson {
  id: string;
  address: string;
  unproven: boolean;
  name: string;
  state: 'active' | 'disabled' | 'leaving' | 'waiting';
  roles: string[];
  password: boolean;
  language: string;
  claims: string;
  created_at: string;
  seen_at: string;
  ends_at: string;
  erased_at: string;
  addresses: AdminAddress[];
  sessions: AdminSession[];
  factors: AdminWay[];
  passkeys: AdminWay[];
  recovery_codes: number;
  browsers: AdminBrowser[];
  tokens: AdminToken[];
  providers: AdminProvider[];
  apps: AdminApp[];
  limits: AdminLimit[];
  emails: AdminEmail[];
  refusing: AdminRefusal[];
  events: AdminEvent[];
  more_events?: boolean;
}

export interface AdminProblem {
  where: string;
  field: string;
  value: string;
  reason: string;
}

export interface AdminProvider {
  id: string;
  name: string;
  subject: string;
  created_at: string;
}

export interface AdminRecord {
  facts: AdminFact[];
  next?: string;
  searched?: boolean;
}

export interface AdminRefusal {
  of: string;
  rule: string;
  source: string;
}

export interface AdminRemoved {
  factors: number;
  passkeys: number;
}

export interface AdminRetried {
  queued: number;
  more: boolean;
  before: string;
}

export interface AdminRoles {
  give: string[];
  take: string[];
}

export interface AdminRow {
  id: string;
  address: string;
  name: string;
  state: 'active' | 'disabled' | 'leaving' | 'waiting';
  roles: string[];
  factors: AdminCounts;
  created_at: string;
  seen_at: string;
  erased_at: string;
}

export interface AdminSelf {
  id: string;
  email: string;
  name: string;
}

export interface AdminSession {
  id: string;
  browser: string;
  network: string;
  place: string;
  methods: string[];
  created_at: string;
  seen_at: string;
  current: boolean;
}

export interface AdminSigningKey {
  id: string;
  algorithm: string;
  state: string;
  created_at: string;
  signs_at: string;
}

export interface AdminSkip {
  id: string;
  address: string;
  reason: 'self' | 'same' | 'leaving' | 'waiting' | 'full' | 'missing' | 'limited' | 'refused';
}

export interface AdminSubject {
  id: string;
  address: string;
  name: string;
}

export interface AdminSystem {
  version: string;
  commit: string;
  checks: AdminCheck[];
  nodes: AdminNode[];
  signing_keys: AdminSigningKey[];
  mail: AdminMail;
}

export interface AdminToken {
  id: string;
  name: string;
  app: string;
  roles: string[];
  used_at?: string;
  ends_at: string;
}

export interface AdminUnsent {
  id: string;
  template: string;
  to: string;
  state: string;
  answer: string;
  asked_at: string;
  due_at: string;
  again: boolean;
}

export interface AdminWay {
  id: string;
  name: string;
  created_at: string;
  used_at: string;
}

export interface AdminWebhook {
  name: string;
  url: string;
  events: string[];
  secrets: number;
  state: 'unused' | 'works' | 'failing';
  waiting: number;
  oldest_at: string;
  failing_at: string;
  tried_at: string;
  status: number;
  answer: string;
}

export interface AdminWebhookAnswer {
  delivered: boolean;
  status: number;
  answer: string;
}

export interface AdminWebhookRetry {
  id?: string;
  before?: string;
}

export interface AdminWebhooks {
  webhooks: AdminWebhook[];
}

export interface Alert {
  id: string;
  text: string;
  page: string;
}

export interface App {
  id: string;
  name: string;
  scopes: string;
  since: Moment;
}

export interface BeginFirstPasskey {
  flow: string;
}

export interface BeginPasskey {
  account: string;
  quiet?: '' | 'yes';
}

export interface Boot {
  screen: 'signin' | 'signup' | 'forgot-password' | 'signin-code' | 'verify-code' | 'confirm-link' | 'reset-password' | 'mfa' | 'terms' | 'account' | 'account-password' | 'account-factors' | 'account-passkeys' | 'new-passkey' | 'account-addresses' | 'account-sessions' | 'account-profile' | 'account-history' | 'account-apps' | 'account-data' | 'account-providers' | 'account-browsers' | 'account-tokens' | 'account-delete' | 'keep' | 'protect' | 'consent' | 'device' | 'not-me' | 'sign-out' | 'signed-out' | 'error' | 'leaving';
  locale: string;
  locales: Language[];
  here: string;
  brand: Brand;
  legal: Legal;
  settings: Settings;
  sender: string;
  providers: Provider[];
  return_to: string;
  values: Values;
  errors: Errors;
  notice: string;
  again: '' | 'yes' | 'closed';
  success: string;
  flow: Flow;
  link: Link;
  session: SignedIn;
  account: Account;
  client: Client;
  device: WaitingDevice;
  mfa: MFA;
  factors: Factors;
  protect: Protect;
  passkeys: Passkeys;
  tokens: Tokens;
  status: number;
  title: string;
  detail: string;
  next: string;
  next_label: string;
  back: string;
  back_label: string;
}

export interface Brand {
  name: string;
  logo: string;
}

export interface ChangeAddress {
  account: string;
  email: string;
  use?: string;
}

export interface ChangePassword {
  account: string;
  password: string;
  confirm_password: string;
}

export interface ChangeProfile {
  account: string;
  name: string;
  locale?: string;
}

export interface Choice {
  id: string;
  name: string;
  chosen: string;
}

export interface Client {
  request: string;
  name: string;
  mark: string;
  host: string;
  asked: string;
  scopes: Scope[];
  unknown: string;
}

export interface ConfirmFactor {
  flow: string;
  code: string;
}

export interface ConfirmLink {
  password?: string;
  link?: string;
}

export interface Current {
  user: User;
  session: Session;
}

export interface DeleteAccount {
  account: string;
}

export interface Device {
  id: string;
  current: boolean;
  browser: string;
  place?: string;
  created_at: string;
  last_seen_at: string;
}

export interface DropFactor {
  flow: string;
}

export interface Errors {
  form: string;
  code: string;
  request_id: string;
  retry_after: number;
  fields: FieldErrors;
}

export interface Event {
  id: string;
  text: string;
  at: string;
  day: string;
  begins: string;
  time: string;
  where: string;
  signin: string;
  signout: string;
  failed: string;
}

export interface Factor {
  id: string;
  added: Moment;
  used: Moment;
  last: string;
}

export interface Factors {
  state: '' | 'list' | 'app' | 'codes';
  list: Factor[];
  full: string;
  left: string;
  few: string;
  secret: string;
  uri: string;
  qr: string;
  size: string;
  codes: RecoveryCode[];
  made: string;
}

export interface FieldErrors {
  name: string;
  email: string;
  password: string;
  confirm_password: string;
  code: string;
  terms: string;
}

export interface Flow {
  id: string;
  kind: '' | 'signup' | 'recovery' | 'code' | 'provider' | 'mfa' | 'terms' | 'return' | 'address' | 'enrol' | 'protect';
  state: '' | 'code' | 'held' | 'refused' | 'used_up' | 'expired' | 'elsewhere' | 'done';
  email: string;
  sent_at: number;
  expires_at: number;
  resend_at: number;
  now: number;
  next: string;
}

export interface ForgotPassword {
  email: string;
  return_to?: string;
}

export interface GiveFactor {
  flow?: string;
  code: string;
  way?: '' | 'totp' | 'recovery';
  trust?: '' | 'yes';
  return_to?: string;
}

export interface KeepAccount {
  flow: string;
}

export interface Language {
  id: string;
  name: string;
}

export interface Legal {
  imprint: string;
  privacy: string;
  terms: string;
  terms_version: string;
}

export interface Link {
  state: '' | 'ready' | 'password' | 'elsewhere' | 'expired' | 'used' | 'replaced' | 'malformed';
  mark: string;
  kind: '' | 'signup' | 'recovery' | 'handed' | 'code' | 'provider' | 'address';
  address: string;
  email: string;
  age: string;
}

export interface LinkedProvider {
  id: string;
  name: string;
  since: Moment;
}

export interface MFA {
  way: '' | 'totp' | 'passkey' | 'recovery';
  app: string;
  passkey: string;
  recovery: string;
  second: string;
  shortest: '' | '6' | '7' | '8';
  longest: '' | '7' | '8';
  moved: string;
  trust: string;
  trusting: string;
}

export interface MakeToken {
  account: string;
  nonce: string;
  name: string;
  app: string;
  role?: string;
  days: string;
}

export interface Moment {
  at: string;
  words: string;
}

export interface Next {
  next: string;
}

export interface NotMe {
  link: string;
}

export interface OtherAddress {
  id: string;
  address: string;
  recovery: string;
  until: Moment;
}

export interface OwnSession {
  id: string;
  name: string;
  phone: string;
  since: Moment;
  place: string;
  by: string;
  seen: Moment;
  active: string;
  here: string;
}

export interface Passkey {
  id: string;
  name: string;
  typed: string;
  added: Moment;
  used: Moment;
  other: string;
  last: string;
  credential: string;
}

export interface PasskeyAsk {
  challenge: string;
  rp_id: string;
  timeout: number;
}

export interface PasskeyHeld {
  credential: string;
  transports: string[];
}

export interface PasskeyOffer {
  challenge: string;
  rp_id: string;
  rp_name: string;
  timeout: number;
  user_id: string;
  user_name: string;
  user_display_name: string;
  algorithms: number[];
  exclude: PasskeyHeld[];
}

export interface Passkeys {
  list: Passkey[];
  full: string;
  alone: string;
  rp_id: string;
  user_id: string;
}

export interface Protect {
  later: string;
  until: Moment;
}

export interface ProtectByApp {
  flow: string;
  code: string;
}

export interface ProtectByPasskey {
  flow: string;
  credential: string;
  client_data: string;
  attestation: string;
  transports?: string;
}

export interface Protection {
  flow: string;
}

export interface Provider {
  id: string;
  name: string;
  icon: string;
  picture: string;
  last: string;
}

export interface RecoveryCode {
  id: string;
}

export interface RefusePasskeys {
  account: string;
  return_to?: string;
}

export interface RefuseTerms {
  flow: string;
}

export interface RemoveFactor {
  account: string;
  id: string;
}

export interface RemovePasskey {
  account: string;
  id: string;
}

export interface RemovePassword {
  account: string;
}

export interface RenamePasskey {
  account: string;
  id: string;
  name: string;
}

export interface Resend {
  flow: string;
}

export interface Resent {
  next: string;
  flow: Flow;
}

export interface ResetPassword {
  flow: string;
  password: string;
  confirm_password: string;
}

export interface SavedCodes {
  flow: string;
}

export interface Scope {
  id: string;
  text: string;
}

export interface SectionStates {
  addresses: string;
  password: string;
  passkeys: string;
  factors: string;
  weak: string;
  sessions: string;
  browsers: string;
  providers: string;
  apps: string;
}

export interface Session {
  id: string;
  created_at: string;
  authenticated_at: string;
  expires_at: string;
  idle_expires_at: string;
  methods: string[];
}

export interface Sessions {
  sessions: Device[];
}

export interface Settings {
  signup: string;
  name: string;
  password_min: number;
  password_max: number;
  code_length: number;
  code_minutes: number;
  signin_code: string;
  providers: string;
  passkeys: string;
  trust: string;
  tokens: string;
}

export interface SignIn {
  email: string;
  password: string;
  return_to?: string;
  flow?: string;
  makes_passkeys?: '' | 'yes';
}

export interface SignInCode {
  email: string;
  return_to?: string;
}

export interface SignInPasskey {
  credential: string;
  client_data: string;
  authenticator_data: string;
  signature: string;
  user_handle: string;
  return_to?: string;
  flow?: string;
  second?: string;
}

export interface SignOut {
  return_to?: string;
}

export interface SignUp {
  name?: string;
  email: string;
  password: string;
  confirm_password: string;
  passkey?: '' | 'yes';
  terms?: string;
  return_to?: string;
  link?: string;
}

export interface SignedIn {
  id: string;
  email: string;
  name: string;
}

export interface Token {
  id: string;
  name: string;
  app: string;
  roles: string;
  used: Moment;
  until: Moment;
}

export interface Tokens {
  list: Token[];
  apps: Choice[];
  roles: Choice[];
  lives: Choice[];
  nonce: string;
  full: string;
  made: string;
}

export interface TrustedBrowser {
  id: string;
  name: string;
  used: Moment;
  until: Moment;
  here: string;
}

export interface User {
  id: string;
  email: string;
  name: string;
  roles: string[];
  picture?: string;
}

export interface Values {
  name: string;
  email: string;
  terms: string;
}

export interface VerifyCode {
  flow: string;
  code: string;
}

export interface WaitingDevice {
  state: '' | 'confirm' | 'allowed' | 'denied';
  code: string;
}

/** The body and the answer of each form that leads to a next page, by its path. */
export interface Forms {
  '/auth/api/signin': { in: SignIn; out: Next };
  '/auth/api/signup': { in: SignUp; out: Next };
  '/auth/api/forgot-password': { in: ForgotPassword; out: Next };
  '/auth/api/signin-code': { in: SignInCode; out: Next };
  '/auth/api/verify-code': { in: VerifyCode; out: Next };
  '/auth/api/resend': { in: Resend; out: Resent };
  '/auth/api/confirm-link': { in: ConfirmLink; out: Next };
  '/auth/api/reset-password': { in: ResetPassword; out: Next };
  '/auth/api/signup/passkey': { in: AddFirstPasskey; out: Next };
  '/auth/api/mfa': { in: GiveFactor; out: Next };
  '/auth/api/mfa/restart': { in: DropFactor; out: Next };
  '/auth/api/terms': { in: AcceptTerms; out: Next };
  '/auth/api/terms/refuse': { in: RefuseTerms; out: Next };
  '/auth/api/protect': { in: ProtectByApp; out: Next };
  '/auth/api/protect/later': { in: Protection; out: Next };
  '/auth/api/protect/restart': { in: Protection; out: Next };
  '/auth/api/protect/passkey': { in: ProtectByPasskey; out: Next };
  '/auth/api/factors/add': { in: AddFactor; out: Next };
  '/auth/api/factors/confirm': { in: ConfirmFactor; out: Next };
  '/auth/api/factors/codes': { in: AddFactor; out: Next };
  '/auth/api/factors/saved': { in: SavedCodes; out: Next };
  '/auth/api/factors/remove': { in: RemoveFactor; out: Next };
  '/auth/api/signout': { in: SignOut; out: Next };
  '/auth/api/account/password': { in: ChangePassword; out: Next };
  '/auth/api/account/password/remove': { in: RemovePassword; out: Next };
  '/auth/api/account/addresses': { in: ChangeAddress; out: Next };
  '/auth/api/not-me': { in: NotMe; out: Next };
  '/auth/api/account/profile': { in: ChangeProfile; out: Next };
  '/auth/api/account/tokens': { in: MakeToken; out: Next };
  '/auth/api/account/delete': { in: DeleteAccount; out: Next };
  '/auth/api/keep': { in: KeepAccount; out: Next };
  '/auth/api/keep/drop': { in: KeepAccount; out: Next };
  '/auth/api/passkey': { in: SignInPasskey; out: Next };
  '/auth/api/account/passkeys': { in: AddPasskey; out: Next };
  '/auth/api/account/passkeys/refuse': { in: RefusePasskeys; out: Next };
  '/auth/api/account/passkeys/rename': { in: RenamePasskey; out: Next };
  '/auth/api/account/passkeys/remove': { in: RemovePasskey; out: Next };
}
