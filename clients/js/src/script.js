// For a page without a bundler: <script src=".../auth/assets/reauthenticate.js"></script>. Every fetch of the page then
// signs in again in place.
import { fetch } from './browser.js';

globalThis.fetch = fetch;
