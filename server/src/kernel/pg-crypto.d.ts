// The driver's cryptography, of which its types say nothing.
declare module 'pg/lib/crypto/utils.js' {
  const utils: {
    deriveKey(password: string, salt: Uint8Array, iterations: number): Promise<ArrayBuffer | Uint8Array>;
    hmacSha256(key: ArrayBuffer | Uint8Array, text: string): Promise<ArrayBuffer | Uint8Array>;
    sha256(data: ArrayBuffer | Uint8Array): Promise<ArrayBuffer | Uint8Array>;
  };
  export = utils;
}
