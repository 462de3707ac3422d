// Secrets at rest, by envelope: the key file's key wraps random data keys, data keys seal values, and each sealed
// value is bound to its table, column and row, and to whatever else its owner binds it to. Guards: a dump of the
// datastore without the key file holds nothing readable, a value moved to another row does not open, and a wrong key
// file stops the start, not the first use.
import type { KeyObject } from 'node:crypto';
import { commandLine } from '../../kernel/command-line.ts';
import { deriveKey, keyObject, newKey, openBytes, SealBroken, sealBytes } from '../../kernel/crypto.ts';
import type { Db } from '../../kernel/db.ts';
import { Fault, UsageError } from '../../kernel/errors.ts';
import { Secret } from '../../kernel/secret.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import * as queries from './secrets.queries.ts';

/** The cell that a sealed value is stored in. */
export interface Where {
  table: string;
  column: string;
  row_id: number;
  /** What the value is for, where it is of use for nothing else: sealed with one text, it opens with no other. */
  bound_to?: string;
}

export interface Vault {
  /** A new sealed form for that cell: version, data key id, nonce, tag, ciphertext. */
  seal(where: Where, secret: Secret): Promise<Buffer>;
  /** The secret of that cell; throws a Fault when it was not sealed for it, or was changed. */
  open(where: Where, sealed: Buffer): Promise<Secret>;
  /** A secret that every process with the same key file makes, for that purpose alone; it is stored nowhere. */
  derive(purpose: string): Secret;
}

export interface KeyOptions {
  /** Absolute path of the key file. */
  keyFile: string;
  /** Makes the key file when it is missing and nothing has been sealed yet. */
  createIfMissing: boolean;
}

export interface VaultOptions extends KeyOptions {
  db: Db;
}

/** Handed out before the datastore has its tables, to parts that ask it only once it is unlocked. */
export interface LockedVault extends Vault {
  /** Reads or makes the key file, and proves that it opens this datastore's data keys. Throws UsageError if not. */
  unlock(options: KeyOptions): Promise<void>;
}

/** Of the cell alone, and bound to a text besides. */
const VERSIONS = { cell: 1, bound: 2 } as const;
const HEADER_BYTES = 5;
const UNREADABLE =
  'A stored secret cannot be decrypted. Enter it again, or bring back the secret key file it was stored with.';

interface Master {
  /** Tells one key file from another; gives nothing away about the key. */
  id: string;
  wrapping: KeyObject;
}

function masterOf(bytes: Buffer): Master {
  const key = keyObject(bytes);
  bytes.fill(0);
  const id = deriveKey(key, 'master key id v1').export().subarray(0, 8).toString('hex');
  return { id, wrapping: deriveKey(key, 'data key wrapping v1') };
}

const keyBoundTo = (id: number, masterId: string) =>
  ['matriarch.data_keys', 'wrapped', id, masterId] as const;

function unwrap(master: Master, row: queries.DataKeyRow): KeyObject {
  const bytes = openBytes(master.wrapping, keyBoundTo(row.id, row.master_key_id), row.wrapped);
  const key = keyObject(bytes);
  bytes.fill(0);
  return key;
}

/** Whether every data key was wrapped by that key of a key file. Overwrites the bytes. */
export function opensDataKeys(bytes: Buffer, rows: readonly queries.DataKeyRow[]): boolean {
  const master = masterOf(bytes);
  try {
    for (const row of rows) unwrap(master, row);
    return true;
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
}

interface DataKey {
  id: number;
  key: KeyObject;
}

async function makeDataKey(db: Db, master: Master): Promise<DataKey> {
  const id = await queries.nextDataKeyId(db);
  const bytes = newKey();
  const wrapped = sealBytes(master.wrapping, keyBoundTo(id, master.id), bytes);
  await queries.insertDataKey(db, { id, master_key_id: master.id, wrapped });
  const key = keyObject(bytes);
  bytes.fill(0);
  return { id, key };
}

async function loadMaster({ db, keyFile, createIfMissing }: VaultOptions): Promise<Master> {
  const found = await readKeyFile(keyFile);
  if (found) return masterOf(found);
  if ((await queries.listDataKeys(db)).length > 0) {
    // Another starter may have made the file, and then the key, in between.
    const meanwhile = await readKeyFile(keyFile);
    if (meanwhile) return masterOf(meanwhile);
    throw new UsageError(
      `The secret key file ${keyFile} is missing, but this datastore holds secrets sealed with it: bring it back from a backup. If it is lost for good, ${commandLine('key replace')} lists what has to be entered again.`,
    );
  }
  if (!createIfMissing) {
    throw new UsageError(
      `The secret key file ${keyFile} does not exist. Make one: (umask 077; head -c 32 /dev/urandom | base64 > ${keyFile})`,
    );
  }
  return masterOf(await createKeyFile(keyFile));
}

/** All data keys, made ready; the first one is made when there is none. The last one seals. */
async function loadDataKeys(db: Db, master: Master, keyFile: string): Promise<DataKey[]> {
  const rows = await queries.listDataKeys(db);
  if (rows.length === 0) {
    return db.transaction(async (tx) => {
      await queries.lockDataKeys(tx);
      const meanwhile = await queries.listDataKeys(tx);
      if (meanwhile.length > 0)
        return meanwhile.map((row) => ({ id: row.id, key: checked(master, row, keyFile) }));
      return [await makeDataKey(tx, master)];
    });
  }
  return rows.map((row) => ({ id: row.id, key: checked(master, row, keyFile) }));
}

function checked(master: Master, row: queries.DataKeyRow, keyFile: string): KeyObject {
  try {
    if (row.master_key_id === master.id) return unwrap(master, row);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
  }
  throw new UsageError(
    `The secret key file ${keyFile} is not the one this datastore's secrets were sealed with: use that file, or another datastore. If it is lost for good, ${commandLine('key replace')} lists what has to be entered again.`,
  );
}

const versionOf = (where: Where) => (where.bound_to === undefined ? VERSIONS.cell : VERSIONS.bound);

const boundTo = (where: Where, keyId: number) => [
  where.table,
  where.column,
  where.row_id,
  keyId,
  ...(where.bound_to === undefined ? [] : [where.bound_to]),
];

/** Each column is sealed with a key of its own. */
const cellKey = (key: KeyObject, where: Where) => deriveKey(key, `seal v1 ${where.table}.${where.column}`);

interface Unlocked {
  master: Master;
  keys: Map<number, KeyObject>;
  sealing: DataKey;
}

class EnvelopeVault implements LockedVault {
  readonly #db: Db;
  #inside: Unlocked | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  async unlock(options: KeyOptions): Promise<void> {
    const master = await loadMaster({ ...options, db: this.#db });
    const all = await loadDataKeys(this.#db, master, options.keyFile);
    const sealing = all.at(-1);
    if (!sealing) throw new Error('no data key');
    this.#inside = { master, keys: new Map(all.map(({ id, key }) => [id, key])), sealing };
  }

  get #unlocked(): Unlocked {
    if (!this.#inside) throw new Error('the vault is locked');
    return this.#inside;
  }

  async seal(where: Where, secret: Secret): Promise<Buffer> {
    const { id, key } = this.#unlocked.sealing;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt8(versionOf(where));
    header.writeUInt32BE(id, 1);
    const plain = Buffer.from(secret.reveal(), 'utf8');
    const sealed = sealBytes(cellKey(key, where), boundTo(where, id), plain);
    plain.fill(0);
    return Buffer.concat([header, sealed]);
  }

  async open(where: Where, sealed: Buffer): Promise<Secret> {
    try {
      if (sealed.length < HEADER_BYTES || sealed.readUInt8() !== versionOf(where)) throw new SealBroken();
      const id = sealed.readUInt32BE(1);
      const key = cellKey(await this.#dataKey(id), where);
      return new Secret(openBytes(key, boundTo(where, id), sealed.subarray(HEADER_BYTES)).toString('utf8'));
    } catch (cause) {
      if (cause instanceof SealBroken) throw new Fault('internal', UNREADABLE, { cause });
      throw cause;
    }
  }

  derive(purpose: string): Secret {
    const key = deriveKey(this.#unlocked.master.wrapping, `derived secret v1 ${purpose}`);
    return new Secret(key.export().toString('base64url'));
  }

  /** Another process may have made a data key since we started. */
  async #dataKey(id: number): Promise<KeyObject> {
    const { keys, master } = this.#unlocked;
    const known = keys.get(id);
    if (known) return known;
    const row = await queries.findDataKey(this.#db, id);
    if (!row) throw new SealBroken();
    const key = unwrap(master, row);
    keys.set(id, key);
    return key;
  }
}

export const lockedVault = (db: Db): LockedVault => new EnvelopeVault(db);

/** One that is unlocked already. */
export async function openVault({ db, ...options }: VaultOptions): Promise<Vault> {
  const vault = lockedVault(db);
  await vault.unlock(options);
  return vault;
}
