// A generated file: where it stands and what has to be in it.
import path from 'node:path';

export interface Artifact {
  /** From the root of the repository. */
  path: string;
  text: string;
}

export const ROOT = path.resolve(import.meta.dirname, '../../../..');
export const SOURCE = path.join(ROOT, 'server/src');
