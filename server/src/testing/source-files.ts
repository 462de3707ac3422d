// The source of the server as data, for the tests of its architecture: which room a file is in, what it imports, and
// its code without comments and texts.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface SourceFile {
  /** From server/src, with forward slashes. */
  path: string;
  /** The folder right under server/src; `main` and `app` are rooms by themselves. */
  room: string;
  /** A test, or a scene that tests play. */
  isTest: boolean;
  isGenerated: boolean;
  lines: number;
  text: string;
  /** Without comments and imports, and with empty texts. */
  code: string;
  imports: Import[];
}

export interface Import {
  /** From server/src when relative, else the package's name as written. */
  target: string;
  isRelative: boolean;
  isTypeOnly: boolean;
}

const SOURCE = path.resolve(import.meta.dirname, '..');

const TOKENS = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** Comments gone and texts emptied, so that a rule about code does not stumble over prose. */
export function codeOf(text: string): string {
  return text.replace(TOKENS, (token) => (token.startsWith('/') ? ' ' : `${token[0]}${token[0]}`));
}

/** The texts of the code, without their quotes and without what stands in comments and imports. */
export function textsOf(text: string): string[] {
  const tokens = text.replace(/^import\b[^;]*;/gm, '').match(TOKENS) ?? [];
  return tokens.filter((token) => !token.startsWith('/')).map((token) => token.slice(1, -1));
}

const IMPORT = /(?:^(?:import|export)\s+(type\s)?(?:[\w$*{}\s,]*?\sfrom\s+)?|\bimport\()'([\w@./-]+)'/gm;

function importsOf(file: string, text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, type, target = '']) => {
    const isRelative = target.startsWith('.');
    return {
      target: isRelative ? path.posix.join(path.posix.dirname(file), target) : target,
      isRelative,
      isTypeOnly: type !== undefined,
    };
  });
}

function roomOf(file: string): string {
  const [first = ''] = file.split('/');
  return first.replace(/\.ts$/, '');
}

export function readSource(): SourceFile[] {
  return readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => {
      const text = readFileSync(path.join(SOURCE, file), 'utf8');
      return {
        path: file,
        room: roomOf(file),
        isTest: /\.(?:test|scene)\.ts$/.test(file),
        isGenerated: file.endsWith('.gen.ts'),
        lines: text.split('\n').length - 1,
        text,
        code: codeOf(text).replace(/^import\b[^;]*;/gm, ''),
        imports: importsOf(file, text),
      };
    });
}
