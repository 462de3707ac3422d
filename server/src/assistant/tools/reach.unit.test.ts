// What tools declare of what a call reaches, against what their files do: a token that only reads what is stored is made of it.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tools } from './catalog.gen.ts';
import type { Tool } from './types.ts';

const ALL: readonly Tool[] = tools;
const named = (holds: (tool: Tool) => boolean) =>
  ALL.filter(holds)
    .map(({ name }) => name)
    .sort();
const source = ({ name }: Tool) =>
  readFileSync(new URL(`./${name.replaceAll('_', '-')}.ts`, import.meta.url), 'utf8');

/** Texts of the caller go to a provider of embeddings. */
const ASKS = named((tool) => /\.embed\(/.test(source(tool)));

it('each tool that sends a statement to a monitored server says so, and no other', () => {
  const sends = named((tool) => /\bdeps\.sql\.(?!datastore\b)/.test(source(tool)));
  expect(sends.length).toBeGreaterThan(3);
  expect(named(({ reaches }) => reaches === 'server')).toEqual(sends.filter((name) => !ASKS.includes(name)));
});

it('each tool that changes something or sends texts to a provider is beyond reading', () => {
  expect(ASKS).toEqual(['generate_embedding', 'similarity_search']);
  expect(named(({ reaches }) => reaches === 'provider')).toEqual(ASKS);
  expect(named(({ writes }) => writes === true)).toEqual(['delete_memory', 'store_memory']);
});
