// The file with the key that wraps all other keys. Guards: it is readable by its owner alone from the first moment
// it exists, never half written, never replaced, and refused when somebody else could read it.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, mkdir, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { KEY_BYTES, newKey } from '../../kernel/crypto.ts';
import { errorCode, UsageError } from '../../kernel/errors.ts';
import { fileProblem } from '../../kernel/file-problem.ts';

const MAX_FILE_BYTES = 4096;

async function checkOwner(handle: FileHandle, file: string): Promise<void> {
  const facts = await handle.stat();
  if (!facts.isFile()) throw new UsageError(`The secret key file ${file} is not a regular file.`);
  if (facts.size > MAX_FILE_BYTES) {
    throw new UsageError(`The secret key file ${file} is too large to be a key of ${KEY_BYTES} bytes.`);
  }
  if (process.platform === 'win32') return;
  const uid = process.geteuid?.();
  if (uid !== undefined && facts.uid !== uid) {
    throw new UsageError(
      `The secret key file ${file} belongs to another user (uid ${facts.uid}): give it to uid ${uid}, who runs Matriarch.`,
    );
  }
  if ((facts.mode & 0o077) !== 0) {
    throw new UsageError(`The secret key file ${file} can be read by other users: run chmod 600 ${file}`);
  }
}

/** 64 hexadecimal digits, or base64 (also the URL form), of 32 bytes. */
function decode(text: string, file: string): Buffer {
  const trimmed = text.trim();
  const hex = /^[0-9a-fA-F]{64}$/.test(trimmed);
  const bytes = Buffer.from(trimmed, hex ? 'hex' : 'base64');
  if (bytes.length !== KEY_BYTES || !/^[A-Za-z0-9+/_=-]+$/.test(trimmed)) {
    throw new UsageError(
      `The secret key file ${file} does not hold a key: ${KEY_BYTES} bytes in base64 or hexadecimal are expected.`,
    );
  }
  return bytes;
}

/** The key, or undefined when there is no such file. Throws UsageError when it must not be used. */
export async function readKeyFile(file: string): Promise<Buffer | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new UsageError(`The secret key file ${file} ${fileProblem(error)}.`);
  }
  try {
    await checkOwner(handle, file);
    return decode(await handle.readFile('utf8'), file);
  } finally {
    await handle.close();
  }
}

async function writeWhole(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the file with a new key unless it exists; answers whatever key is in it then. */
export async function createKeyFile(file: string): Promise<Buffer> {
  const directory = path.dirname(file);
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeWhole(draft, `${newKey().toString('base64')}\n`);
    try {
      // A link appears whole and never replaces; a rename would overwrite another starter's key.
      await link(draft, file);
      await syncDirectory(directory);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    } finally {
      await unlink(draft);
    }
  } catch (error) {
    throw new UsageError(
      `The secret key file ${file} cannot be created (${errorCode(error) ?? 'unknown error'}): check the directory's rights.`,
    );
  }
  const key = await readKeyFile(file);
  if (key === undefined) throw new UsageError(`The secret key file ${file} vanished while it was created.`);
  return key;
}
