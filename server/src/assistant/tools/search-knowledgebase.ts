// What is known of PostgreSQL's parameters, wait events, views of statistics and error codes, in our own words.

import { Fault } from '../../kernel/errors.ts';
import { anyOf, boolean, list, object, optional, text } from '../../kernel/schema.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { type Entry, VERSIONS, type Version } from '../knowledge/knowledge.ts';
import { answer } from './support/answer.ts';
import { limitInput } from './support/inputs.ts';
import { defineTool, type ToolCtx } from './types.ts';

const PRODUCT = 'PostgreSQL';
const LONGEST_MS = 5 * 60_000;
const SOURCE = `our own notes on ${PRODUCT} ${VERSIONS[0]} to ${VERSIONS.at(-1)}, with names and facts read from servers of these versions`;

/** A list, or texts with commas between. */
const namesInput = (description: string) =>
  optional(
    anyOf([list(text({ maxLength: 100 }), { maxItems: 20 }), text({ maxLength: 400 })], { description }),
  );
const namesOf = (said: string | readonly string[] | undefined): string[] =>
  (typeof said === 'string' ? [said] : (said ?? []))
    .flatMap((one) => one.split(','))
    .map((one) => one.trim())
    .filter((one) => one !== '');

/** All versions where none is named; `16.4` is 16. */
function versionsOf(said: string | readonly string[] | undefined): readonly Version[] {
  const names = namesOf(said);
  const wanted = names.map((name) => Number.parseInt(name, 10));
  const known = VERSIONS.filter((version) => wanted.includes(version));
  if (names.length > 0 && known.length === 0)
    throw new Fault('bad_request', `There are notes on versions ${VERSIONS.join(', ')} only.`);
  return names.length === 0 ? VERSIONS : known;
}

function demandProduct(said: string | readonly string[] | undefined): void {
  const names = namesOf(said);
  if (names.length > 0 && !names.some((name) => /^postgres(?:ql)?$/i.test(name)))
    throw new Fault('bad_request', `There are notes on ${PRODUCT} only; leave project_names out.`);
}

const listed = (ctx: ToolCtx) =>
  answer(ctx, {
    about: 'Products in the knowledge base',
    source: SOURCE,
    sections: [
      {
        columns: ['project_name', 'project_versions', 'entries'],
        rows: [[PRODUCT, VERSIONS.join(', '), ctx.deps.knowledge.count()]],
        empty: 'There is none.',
      },
    ],
  });

const rowOf = ({ kind, name, text: explained, facts }: Entry) => [
  kind,
  name,
  [explained, ...facts].filter((part) => part !== undefined).join(' '),
];

export const tool = defineTool({
  name: 'search_knowledgebase',
  title: 'Look something up about PostgreSQL',
  summary: "What PostgreSQL's parameters, wait events, views and error codes mean.",
  description:
    'Looks up parameters, wait events, views of statistics and error codes of PostgreSQL 14 to 19: what each is, its default and what a change takes, what to do about it, and how versions differ. Ask by name, by the beginning of a name, by SQLSTATE, or in words. It knows nothing of your servers: get_changes, query_database and the others do.',
  cost: 'Nothing, or a short text to the provider of embeddings where one is configured; our own notes are sent there once.',
  privilege: { id: 17, description: 'Search the knowledge base' },
  most_statements: 1,
  examples: [
    { ask: 'What does the wait event WalSync mean?', input: { query: 'WalSync' } },
    {
      ask: 'How do I stop a slot from filling the disk?',
      input: { query: 'replication slot fills disk', top_n: 3 },
    },
    { ask: 'What is there?', input: { list_products: true } },
  ],
  input: object({
    query: optional(
      text({ maxLength: 1000, description: 'A name, a code or words. Needed unless list_products.' }),
    ),
    project_names: namesInput('Products, from list_products; all when left out.'),
    project_versions: namesInput('Major versions, such as 16; all when left out.'),
    top_n: limitInput(5, 20),
    list_products: optional(
      boolean({ default: false, description: 'Say which products and versions there are.' }),
    ),
  }),
  async run(ctx, { query = '', project_names, project_versions, top_n = 5, list_products = false }) {
    if (list_products) return listed(ctx);
    if (query.trim() === '')
      throw new Fault('bad_request', 'Give query, or list_products: true to see what there is.');
    demandProduct(project_names);
    const versions = versionsOf(project_versions);
    // Our notes are sent to the end, also when whoever asked first has left.
    const embedder = ctx.deps.embeddings?.of({ ...ctx, signal: AbortSignal.timeout(LONGEST_MS) });
    const { knowledge } = ctx.deps;
    const { entries, by_meaning } = await knowledge.search({ query, versions, limit: top_n, embedder });
    return answer(ctx, {
      about: `${shownCount(entries.length, 'entry', 'entries')} for "${query}"`,
      source: `${SOURCE}; found by ${by_meaning ? 'words and meaning' : 'words'}`,
      sections: [
        {
          columns: ['kind', 'name', 'what is known'],
          rows: entries.map(rowOf),
          empty: 'Nothing fits. Try the name as PostgreSQL writes it, or other words.',
        },
      ],
    });
  },
});
