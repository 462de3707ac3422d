// What the browser does with passkeys. Its library is read when one is used, so that it is no part of what every page begins with.
import { ApiError, call } from '../../../api/client.ts';

/** The browser says no more than that: it was cancelled, took too long, or there is no passkey for this address. */
const unused = () => new ApiError('No passkey was used. Try again, or use another way.', { status: 400 });

export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in window;

/** The answer of a passkey to a new challenge. */
export async function askPasskey(): Promise<string> {
  const { options } = await call('startPasskeySignIn', {});
  const { startAuthentication } = await import('@simplewebauthn/browser');
  try {
    return JSON.stringify(await startAuthentication({ optionsJSON: JSON.parse(options) }));
  } catch {
    throw unused();
  }
}

/** A new passkey on a device, as the options of the server say. */
export async function makePasskey(options: string): Promise<string> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  try {
    return JSON.stringify(await startRegistration({ optionsJSON: JSON.parse(options) }));
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidStateError')
      throw new ApiError('This device has a passkey for your account already.', { status: 400 });
    throw unused();
  }
}
