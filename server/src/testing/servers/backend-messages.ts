// Messages of PostgreSQL's protocol as a server sends them, right or wrong, for servers that tests make up.

export const int16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255]);

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A message of that kind; `length` is what its header says in place of the truth. */
export function message(kind: string, body: Buffer | string = '', length?: number): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(kind, 'latin1'), int32(length ?? bytes.length + 4), bytes]);
}

export const OIDS = { text: 25, int4: 23, json: 114, texts: 1009 } as const;

export interface Field {
  name: string | Buffer;
  oid?: number;
}

/** A RowDescription. */
export const description = (fields: readonly Field[]) =>
  message(
    'T',
    Buffer.concat([
      int16(fields.length),
      ...fields.map(({ name, oid = OIDS.text }) => {
        const facts = Buffer.alloc(18);
        facts.writeInt32BE(oid, 6);
        return Buffer.concat([Buffer.from(name), Buffer.alloc(1), facts]);
      }),
    ]),
  );

export const columns = (count: number): Field[] =>
  Array.from({ length: count }, (_, index) => ({ name: `c${index}` }));

/** A DataRow. */
export const row = (values: readonly (string | Buffer | null)[]) =>
  message(
    'D',
    Buffer.concat([
      int16(values.length),
      ...values.map((value) =>
        value === null ? int32(-1) : Buffer.concat([int32(Buffer.byteLength(value)), Buffer.from(value)]),
      ),
    ]),
  );

export const READY = message('Z', 'I');
/** What precedes the rows of every answer. */
export const BEFORE_ROWS = Buffer.concat([message('1'), message('2')]);
export const AFTER_ROWS = Buffer.concat([message('C', 'SELECT 1\0'), READY]);

/** A whole answer. */
export const answer = (fields: readonly Field[], rows: readonly (readonly (string | Buffer | null)[])[]) =>
  Buffer.concat([BEFORE_ROWS, description(fields), ...rows.map(row), AFTER_ROWS]);

export const refusal = (fields: string, kind = 'E') => message(kind, `${fields}\0`);

export const signedIn = (version = '18.4') =>
  Buffer.concat([
    message('R', int32(0)),
    message('S', `server_version\0${version}\0`),
    message('K', Buffer.alloc(8)),
    READY,
  ]);

/** The same many times over, for floods. */
export const many = (bytes: Buffer, size = 256 * 1024) =>
  Buffer.concat(Array.from({ length: Math.max(1, Math.floor(size / bytes.length)) }, () => bytes));
