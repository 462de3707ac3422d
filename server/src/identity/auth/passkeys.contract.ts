// Passkeys (WebAuthn): signing in with one, and those of the own account. What browser and server say to each other is JSON of that
// standard, carried as text. Those of the own account need a session, so that no API token changes how its owner signs in.
import { created, ok, operationsOf, SESSION_COOKIE } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

/** Carries the challenge until the browser has answered. */
export const PASSKEY_COOKIE = 'passkey_challenge';

const operation = operationsOf({ tag: 'auth', extra: true });
const PATH = '/api/v1/user/passkeys';
const COOKIE = { 'Set-Cookie': `${PASSKEY_COOKIE}; Path=/; HttpOnly; SameSite=Lax; for five minutes.` };
const COUNTED = 'A wrong password, code or passkey counts as a failed sign-in: 403, and 429 after too many.';
const NO_SITE =
  '409 where passkeys cannot work: api.public_url needs https and a host name, or the address is localhost.';

export const passkeyAnswer = s.text({
  minLength: 1,
  maxLength: 16_384,
  description:
    'What the browser answered, as JSON of WebAuthn. It answers the challenge of startPasskeySignIn.',
});
/** The password again, and the second factor where one is in force. */
export const proof = {
  password: s.text({ minLength: 1, maxLength: 1024, description: 'The own password, asked for again.' }),
  code: s.optional(
    s.text({
      minLength: 1,
      maxLength: 64,
      description: 'The code that the authenticator app shows, or a recovery code.',
    }),
  ),
  passkey: s.optional(passkeyAnswer),
};
const PasskeyOptions = s.component('PasskeyOptions', {
  options: s.text({ description: 'For the browser, as JSON of WebAuthn.' }),
});
const Passkey = s.component('Passkey', {
  id: s.longId(),
  name: s.text(),
  created_at: s.timestamp(),
  last_used_at: s.nullable(s.timestamp()),
});
const Passkeys = s.component('Passkeys', {
  passkeys: s.list(Passkey),
  can_work: s.boolean({ description: 'False where no browser allows passkeys at this address.' }),
});
const PasskeyAdded = s.component('PasskeyAdded', {
  passkey: Passkey,
  recovery_codes: s.list(s.text(), {
    description: 'With the first second factor alone. Shown once; each works once.',
  }),
});
const example = { id: 7, name: 'Laptop', created_at: '2026-11-20T10:00:00.000Z', last_used_at: null };
const bodyExample = { password: 'correct horse battery', code: '492039' };
const options = { options: '{"challenge":"…","rpId":"matriarch.example.com"}' };

export const startPasskeySignIn = operation({
  id: 'startPasskeySignIn',
  route: 'POST /api/v1/auth/passkey/start',
  summary: 'Begin to sign in with a passkey',
  access: 'public',
  ignoresCaller: true,
  usesDatastore: false,
  isSecret: true,
  faults: [409],
  success: { status: 200, schema: PasskeyOptions, example: options, headers: COOKIE },
  notes: [
    'The answer goes to finishPasskeySignIn, or into the member passkey where a second factor is asked for.',
    NO_SITE,
  ],
});

export const finishPasskeySignIn = operation({
  id: 'finishPasskeySignIn',
  route: 'POST /api/v1/auth/passkey/finish',
  summary: 'Sign in with a passkey',
  access: 'public',
  signsIn: true,
  body: s.component('PasskeySignIn', { passkey: passkeyAnswer }),
  bodyExample: { passkey: '{"id":"…","type":"public-key"}' },
  faults: [401, 409],
  success: {
    ...ok(
      s.component('PasskeySignInDone', {
        success: s.boolean(),
        expires_at: s.timestamp(),
        message: s.text(),
      }),
      {
        success: true,
        expires_at: '2026-11-21T10:00:00.000Z',
        message: 'Signed in.',
      },
    ),
    headers: { 'Set-Cookie': `${SESSION_COOKIE}=<token>, as login sets it.` },
  },
  notes: ['No password and no code are asked for. A challenge is good for one answer, within five minutes.'],
});

export const listOwnPasskeys = operation({
  id: 'listOwnPasskeys',
  route: `GET ${PATH}`,
  summary: 'List the own passkeys',
  access: 'session',
  beforeSecondFactor: true,
  success: ok(Passkeys, { passkeys: [example], can_work: true }),
});

export const startPasskey = operation({
  id: 'startPasskey',
  route: `POST ${PATH}/start`,
  summary: 'Begin to add a passkey',
  access: 'session',
  beforeSecondFactor: true,
  isSecret: true,
  body: s.component('PasskeyStart', proof),
  bodyExample,
  faults: [409],
  success: { status: 200, schema: PasskeyOptions, example: options, headers: COOKIE },
  notes: ['409 from ten passkeys on.', NO_SITE, COUNTED],
});

export const addPasskey = operation({
  id: 'addPasskey',
  route: `POST ${PATH}`,
  summary: 'Add a passkey',
  access: 'session',
  beforeSecondFactor: true,
  isSecret: true,
  body: s.component('PasskeyAdd', {
    name: s.displayName({ minLength: 1, maxLength: 64, description: 'What to call it in the list.' }),
    passkey: s.text({
      minLength: 1,
      maxLength: 16_384,
      description: 'What the browser answered to startPasskey.',
    }),
  }),
  bodyExample: { name: 'Laptop', passkey: '{"id":"…","type":"public-key"}' },
  faults: [409],
  success: created(PasskeyAdded, { passkey: example, recovery_codes: [] }),
  notes: [
    'The first second factor of an account ends all its other sessions.',
    '403 where the answer is not right.',
  ],
});

export const removeOwnPasskey = operation({
  id: 'removeOwnPasskey',
  route: `POST ${PATH}/{id}/remove`,
  summary: 'Remove a passkey of one’s own',
  access: 'session',
  params: s.object({ id: s.longId() }),
  paramsExample: { id: 7 },
  body: s.component('PasskeyRemove', proof),
  bodyExample,
  faults: [404, 409],
  success: ok(s.component('PasskeyRemoved', { message: s.text() }), {
    message: 'The passkey was removed.',
  }),
  notes: ['The recovery codes go with the last second factor.', COUNTED],
});
