// A provider on loopback that does what a test says: wrong tokens, keys that change, answers of another one. It stands for a
// third party on the wire.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';

/** Undefined takes a claim away. */
type Forged = Record<string, unknown>;
type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface HostileProvider {
  issuer: string;
  /** Changes the claims of the next tokens. */
  claims: Forged;
  /** How the next token is signed; rightly when undefined. */
  signs: 'none' | 'another key' | 'public key as secret' | undefined;
  /** The answer to a code works so often. */
  codes: number;
  isAway: boolean;
  /** Takes the place of the answer with its keys. */
  keysText: string | undefined;
  /** How often its keys were read. */
  keyReads: number;
  /** Of the headers of the next tokens. */
  header: Forged;
  rotate(): Promise<void>;
  /** A token signed with the key of now. */
  sign(claims: Forged): Promise<string>;
  /** The query with which a browser would come back from this address. */
  answer(authorizationUrl: string): string;
  stop(): Promise<void>;
}

const seconds = () => Math.floor(Date.now() / 1000);

class Hostile implements Omit<HostileProvider, 'stop'> {
  issuer = '';
  claims: Forged = {};
  signs: HostileProvider['signs'];
  codes = Number.POSITIVE_INFINITY;
  isAway = false;
  keysText: string | undefined;
  keyReads = 0;
  header: Forged = {};
  #nonce = '';
  #kid = 0;
  #pair: KeyPair | undefined;
  readonly server = http.createServer((request, response) => {
    this.#answer(request.url ?? '').then(
      ([status, body]) => {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        response.writeHead(status, { 'content-type': 'application/json' }).end(text);
      },
      () => response.destroy(),
    );
  });

  async rotate(): Promise<void> {
    this.#kid += 1;
    this.#pair = await generateKeyPair('RS256', { extractable: true });
  }

  async sign(claims: Forged): Promise<string> {
    const pair = this.signs === 'another key' ? await generateKeyPair('RS256') : this.#pair;
    if (this.signs === 'none') return new UnsecuredJWT(claims).encode();
    if (!pair) throw new Error('there is no key');
    if (this.signs === 'public key as secret') {
      const secret = Buffer.from(await exportSPKI(pair.publicKey));
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: `key-${this.#kid}`, ...this.header })
        .sign(secret);
    }
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: `key-${this.#kid}`, ...this.header })
      .sign(pair.privateKey);
  }

  answer(authorizationUrl: string): string {
    const query = new URL(authorizationUrl).searchParams;
    this.#nonce = query.get('nonce') ?? '';
    return new URLSearchParams({ code: 'a-code', state: query.get('state') ?? '' }).toString();
  }

  async #answer(url: string): Promise<[number, unknown]> {
    if (this.isAway) return [503, {}];
    const { issuer } = this;
    if (url === '/.well-known/openid-configuration')
      return [
        200,
        {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
          end_session_endpoint: `${issuer}/end`,
        },
      ];
    if (url === '/keys') {
      this.keyReads += 1;
      if (this.keysText !== undefined) return [200, this.keysText];
      if (!this.#pair) throw new Error('there is no key');
      const key = await exportJWK(this.#pair.publicKey);
      return [200, { keys: [{ ...key, kid: `key-${this.#kid}`, use: 'sig', alg: 'RS256' }] }];
    }
    this.codes -= 1;
    if (this.codes < 0) return [400, { error: 'invalid_grant' }];
    const now = seconds();
    const right = { iss: issuer, aud: 'matriarch', sub: 'eve', nonce: this.#nonce, iat: now, exp: now + 300 };
    const id_token = await this.sign({ ...right, ...this.claims });
    return [200, { access_token: 'an-access-token', token_type: 'Bearer', id_token }];
  }
}

export async function startHostileProvider(): Promise<HostileProvider> {
  const hostile = new Hostile();
  await hostile.rotate();
  hostile.server.listen(0, '127.0.0.1');
  await new Promise((resolve) => hostile.server.once('listening', resolve));
  hostile.issuer = `http://127.0.0.1:${(hostile.server.address() as AddressInfo).port}`;
  return Object.assign(hostile, {
    stop: async () => {
      hostile.server.closeAllConnections();
      await new Promise((resolve) => hostile.server.close(resolve));
    },
  });
}
