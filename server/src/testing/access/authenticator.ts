// An authenticator in software, for tests of passkeys: real keys and signatures, and every lie that a hostile one could tell.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
const base64url = (data: string | Uint8Array) => Buffer.from(data).toString('base64url');

export interface Lies {
  origin?: string;
  rp_id?: string;
  challenge?: string;
  type?: string;
  is_verified?: boolean;
  counter?: number;
  user_handle?: string;
  /** Changes the signed bytes after they were signed. */
  is_tampered?: boolean;
}

export class Authenticator {
  readonly id = base64url(randomBytes(16));
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  readonly #origin: string;
  #counter = 0;
  #handle = '';

  constructor(origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    [this.#private, this.#public, this.#origin] = [privateKey, publicKey, origin];
  }

  get counter(): number {
    return this.#counter;
  }

  #client(type: string, challenge: string, lies: Lies): Buffer {
    const origin = lies.origin ?? this.#origin;
    return Buffer.from(
      JSON.stringify({ type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin }),
    );
  }

  #data(rpId: string, lies: Lies, credential?: Buffer): Buffer {
    const flags = USER_PRESENT | (lies.is_verified === false ? 0 : USER_VERIFIED);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(lies.counter ?? this.#counter);
    const flag = Buffer.from([credential ? flags | HAS_CREDENTIAL : flags]);
    return Buffer.concat([sha256(lies.rp_id ?? rpId), flag, counter, credential ?? Buffer.alloc(0)]);
  }

  /** The answer to options for adding a passkey. */
  register(options: string, lies: Lies = {}): string {
    const { challenge, rp, user } = JSON.parse(options);
    this.#handle = user.id;
    const { x = '', y = '' } = this.#public.export({ format: 'jwk' });
    const key = isoCBOR.encode(
      new Map<number, number | Uint8Array<ArrayBuffer>>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
        [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
      ]),
    );
    const id = Buffer.from(this.id, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
    const attestation = isoCBOR.encode(
      new Map<string, string | Uint8Array<ArrayBuffer> | Map<string, string>>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, string>()],
        ['authData', new Uint8Array(this.#data(rp.id, lies, credential))],
      ]),
    );
    const clientDataJSON = base64url(this.#client('webauthn.create', challenge, lies));
    return this.#answer({ clientDataJSON, attestationObject: base64url(attestation) });
  }

  /** The answer to options for signing in. */
  answer(options: string, lies: Lies = {}): string {
    const { challenge, rpId } = JSON.parse(options);
    this.#counter += 1;
    const client = this.#client('webauthn.get', challenge, lies);
    const data = this.#data(rpId, lies);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#private);
    if (lies.is_tampered) data.writeUInt32BE(this.#counter + 1000, 33);
    return this.#answer({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(signature),
      userHandle: lies.user_handle ?? this.#handle,
    });
  }

  #answer(response: Record<string, string>): string {
    const { id } = this;
    return JSON.stringify({ id, rawId: id, type: 'public-key', response, clientExtensionResults: {} });
  }
}
