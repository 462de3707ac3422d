// The rows that the code expects of each statement, read from the sources: `db.rows<Row>(…)` in the function that makes
// the statement, or `db.rows<Row>(statement)` wherever an exported statement is used. Members come from the interface.
import path from 'node:path';
import type { SourceFile } from '../source-files.ts';

/** Members by name, with their types as written; absent optional ones are left out. */
export type Members = ReadonlyMap<string, string>;

export interface Expected {
  /** Path of the queries file from server/src. */
  file: string;
  maker: string;
  row: string;
  members: Members;
}

const MEMBER = /^\s*(?:readonly\s+)?(\w+)(\?)?:\s*([^;]+);/gm;
const INTERFACE = /^(?:export )?interface (\w+)(?: extends ([\w, ]+))? \{\n([\s\S]*?)^\}/gm;
const CALL = /\.(?:rows|one|maybe)<((?:[^<>()]|<[^<>]*>)+)>\(\s*(?:prepared\(\s*)?((?:\w+\.)?\w+|sql`)/g;

function membersIn(text: string): Map<string, string> {
  const plain = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, '');
  return new Map([...plain.matchAll(MEMBER)].map(([, name = '', , type = '']) => [name, type.trim()]));
}

interface Declared {
  members: Map<string, string>;
  parents: string[];
}

function interfacesOf(file: SourceFile): Map<string, Declared> {
  return new Map(
    [...file.text.matchAll(INTERFACE)].map(([, name = '', parents = '', text = '']) => [
      name,
      {
        members: membersIn(text),
        parents: parents
          .split(',')
          .map((parent) => parent.trim())
          .filter(Boolean),
      },
    ]),
  );
}

const bare = (name: string) => name.split('.').at(-1) ?? name;

/** Finds interfaces by name: in the file itself, else in what it imports by that name. */
class RowTypes {
  readonly #files: ReadonlyMap<string, SourceFile>;
  readonly #declared: ReadonlyMap<string, Map<string, Declared>>;

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#declared = new Map(files.map((file) => [file.path, interfacesOf(file)]));
  }

  #imported(file: SourceFile, target = ''): SourceFile | undefined {
    return this.#files.get(path.posix.join(path.posix.dirname(file.path), target));
  }

  /** Where a name of that file is declared; `queries.find` is what an import of the whole module calls it. */
  home(file: SourceFile, name: string): SourceFile | undefined {
    const [space, member] = name.split('.');
    if (member !== undefined) {
      const whole = new RegExp(`^import (?:type )?\\* as ${space} from '(\\.[^']+)'`, 'm').exec(file.text);
      return whole ? this.#imported(file, whole[1]) : undefined;
    }
    const imported = [...file.text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)].find(
      ([, names = '']) => names.split(',').some((one) => one.trim().replace(/^type /, '') === name),
    );
    return imported ? this.#imported(file, imported[2]) : file;
  }

  members(file: SourceFile, row: string): Members | undefined {
    if (row.startsWith('{')) return membersIn(`${row.slice(1, -1)};`.replaceAll(/;\s*/g, ';\n'));
    const declared = this.#declared.get(file.path)?.get(row);
    if (!declared) {
      const home = this.home(file, row);
      return home && home !== file ? this.members(home, bare(row)) : undefined;
    }
    const parents = declared.parents.map((parent) => this.members(file, parent));
    if (parents.includes(undefined)) return undefined;
    return new Map([...parents.flatMap((parent) => [...(parent ?? [])]), ...declared.members]);
  }
}

/** The exported function or constant that stands around a place of the text. */
function exportAround(text: string, index: number): string | undefined {
  const before = text.slice(0, index);
  const all = [...before.matchAll(/^(export )?(?:async )?(?:function|const|class) (\w+)/gm)];
  const [, isExported, name] = all.at(-1) ?? [];
  return isExported ? name : undefined;
}

/** What the product's code expects of the statements of queries files. */
export function expectedRows(files: readonly SourceFile[]): Expected[] {
  const product = files.filter(({ isTest, room }) => !isTest && room !== 'testing' && room !== 'bench');
  const types = new RowTypes(files);
  return product.flatMap((file) =>
    [...file.text.matchAll(CALL)].flatMap((found) => {
      const [, row = '', statement = ''] = found;
      const isOwn = statement === 'sql`';
      const maker = isOwn ? exportAround(file.text, found.index) : statement;
      const home = isOwn ? file : maker && types.home(file, maker);
      const members = types.members(file, row);
      if (!maker || !home || !members || !home.path.endsWith('.queries.ts')) return [];
      return [{ file: home.path, maker: bare(maker), row, members }];
    }),
  );
}

const KINDS: readonly (readonly [string, readonly number[]])[] = [
  ['boolean', [16]],
  ['number', [20, 21, 23, 700, 701]],
  ['string', [18, 19, 25, 1042, 1043, 2950, 869, 650, 1082, 1114, 1184, 20, 1700, 2278, 1186, 3220]],
  ['json', [114, 3802]],
  ['bytes', [17]],
];

const kindOf = (oid: number): string[] =>
  KINDS.filter(([, oids]) => oids.includes(oid)).map(([kind]) => kind);

/** Whether a value of that PostgreSQL type can be what the code says; types that say more than that are not judged. */
export function fits(type: string, oid: number): boolean {
  const bare = type.replaceAll(/\s*\|\s*null\b|\bnull\s*\|\s*/g, '').trim();
  if (/^(number|string|boolean)$/.test(bare)) return kindOf(oid).includes(bare);
  if (bare === 'Buffer') return kindOf(oid).includes('bytes');
  return true;
}
