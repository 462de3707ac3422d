// The second factor of the own account: codes of an authenticator app, and recovery codes. All need a session, so that no API token
// changes how its owner signs in.
import { ok, operationsOf } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';
import { MessageResponse } from './auth.contract.ts';
import { proof } from './passkeys.contract.ts';

const operation = operationsOf({ tag: 'auth', extra: true });
const PATH = '/api/v1/user/second-factor';
const code = s.text({
  minLength: 1,
  maxLength: 64,
  description: 'The code that the authenticator app shows, or a recovery code.',
});
const COUNTED = 'A wrong password or code counts as a failed sign-in: 403, and 429 after too many.';

const SecondFactor = s.component('SecondFactor', {
  is_set_up: s.boolean({ description: 'Whether there is an authenticator app; passkeys are listed apart.' }),
  is_required: s.boolean({ description: 'Whether the settings ask for one of this account.' }),
  confirmed_at: s.nullable(s.timestamp({ description: 'Since when it is in force; null without one.' })),
  recovery_codes_left: s.integer({ minimum: 0, description: 'Those that were not used yet.' }),
});
const SecondFactorOffer = s.component('SecondFactorOffer', {
  setup_key: s.text({ description: 'For typing into the app, in base32.' }),
  app_url: s.text({ description: 'The same as an otpauth address, for a QR code.' }),
});
const RecoveryCodes = s.component('RecoveryCodes', {
  recovery_codes: s.list(s.text(), { description: 'Shown once; each works once.' }),
});
const PasswordAndCode = s.component('PasswordAndCode', proof);
const bodyExample = { password: 'correct horse battery', code: '492039' };
const codes = { recovery_codes: ['k3vq-7m2x-p5ad-wz6t'] };

export const getSecondFactor = operation({
  id: 'getSecondFactor',
  route: `GET ${PATH}`,
  summary: 'State of the own second factor',
  access: 'session',
  beforeSecondFactor: true,
  success: ok(SecondFactor, {
    is_set_up: true,
    is_required: false,
    confirmed_at: '2026-11-20T10:00:00.000Z',
    recovery_codes_left: 9,
  }),
});

export const startSecondFactor = operation({
  id: 'startSecondFactor',
  route: `POST ${PATH}`,
  summary: 'Start to set up a second factor',
  access: 'session',
  beforeSecondFactor: true,
  isSecret: true,
  body: s.component('SecondFactorStart', proof),
  bodyExample: { password: 'correct horse battery' },
  faults: [409],
  success: ok(SecondFactorOffer, {
    setup_key: 'JBSWY3DPEHPK3PXP',
    app_url: 'otpauth://totp/Matriarch:anna?issuer=Matriarch&secret=JBSWY3DPEHPK3PXP',
  }),
  notes: [
    'Nothing is in force before confirmSecondFactor, within an hour. 409 while one is set up.',
    'An account with passkeys gives one, or a recovery code, besides the password.',
    COUNTED,
  ],
});

export const confirmSecondFactor = operation({
  id: 'confirmSecondFactor',
  route: `POST ${PATH}/confirm`,
  summary: 'Put the second factor in force',
  access: 'session',
  beforeSecondFactor: true,
  isSecret: true,
  body: s.component('SecondFactorConfirm', { code }),
  bodyExample: { code: '492039' },
  faults: [409],
  success: ok(RecoveryCodes, codes),
  notes: [
    'Ends all other sessions of the account. 409 where no setup was started, or it is older than an hour.',
    COUNTED,
  ],
});

export const replaceRecoveryCodes = operation({
  id: 'replaceRecoveryCodes',
  route: `POST ${PATH}/recovery-codes`,
  summary: 'Replace the recovery codes',
  access: 'session',
  isSecret: true,
  body: PasswordAndCode,
  bodyExample,
  faults: [409],
  success: ok(RecoveryCodes, codes),
  notes: ['The old ones stop working. 409 without a second factor.', COUNTED],
});

export const removeOwnSecondFactor = operation({
  id: 'removeOwnSecondFactor',
  route: `POST ${PATH}/remove`,
  summary: 'Remove the own second factor',
  access: 'session',
  body: PasswordAndCode,
  bodyExample,
  faults: [409],
  success: ok(MessageResponse, { message: 'The second factor was removed.' }),
  notes: ['409 without a second factor.', COUNTED],
});
