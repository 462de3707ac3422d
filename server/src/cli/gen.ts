// Writes every generated file anew, or with --check says which ones are stale and exits 1. What is generated is
// committed, so that a review shows what a change did.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Artifact, ROOT } from './gen/artifact.ts';
import { catalog, FILE_KINDS, SCENE_KINDS, sceneIndex } from './gen/catalogs.ts';
import { channelNames } from './gen/channel-names.ts';
import { checkReference, readCheckSources } from './gen/checks.ts';
import { accessTable, openapi, probeCatalog } from './gen/documents.ts';
import { logClassReference } from './gen/log-classes.ts';
import { logEventReference } from './gen/log-events.ts';
import { mcpPrivileges } from './gen/mcp-privileges.ts';
import { findOperations, serverList, webList } from './gen/operations.ts';
import { pageList } from './gen/pages.ts';
import { type ListedRule, readScenes, ruleReference } from './gen/rules.ts';
import { schema } from './gen/schema.ts';

/** What the contracts read of the catalog of channels. */
async function namesOfChannels(): Promise<Artifact> {
  const { channels } = await import('../alerting/channels/catalog.gen.ts');
  return channelNames(channels);
}

/** What access reads of the catalog of tools. */
async function privilegesOfTools(): Promise<Artifact> {
  const { tools } = await import('../assistant/tools/catalog.gen.ts');
  const { resources } = await import('../assistant/tools/resources.ts');
  return mcpPrivileges(
    tools,
    resources.map(({ uri, privilege }) => ({ name: uri, privilege })),
  );
}

/** Rules with the units of what they judge. */
async function listedRules(): Promise<ListedRule[]> {
  const { knownRules } = await import('../alerting/alert-rules/known-rules.service.ts');
  return [...knownRules.values()].map(({ rule, metric: { unit }, source }) => ({ rule, unit, source }));
}

/** Everything that `npm run gen` writes. */
async function artifacts(): Promise<Artifact[]> {
  const found = await findOperations();
  const operations = found.map(({ operation }) => operation);
  const { probes } = await import('../probes/catalog.gen.ts');
  const { checks } = await import('../insight/checks/catalog.gen.ts');
  const { classes } = await import('../logs/classes/catalog.gen.ts');
  const { readMeasuredCosts } = await import('../probes/measured-costs.ts');
  const { configReference } = await import('../kernel/config-reference.ts');
  const { settings } = await import('./settings.ts');
  return [
    serverList(found),
    webList(found),
    ...(await Promise.all([...FILE_KINDS.map(catalog), ...SCENE_KINDS.map(sceneIndex)])),
    await namesOfChannels(),
    await privilegesOfTools(),
    await pageList(),
    openapi(operations),
    accessTable(operations),
    probeCatalog(probes, await readMeasuredCosts()),
    ruleReference(await listedRules(), await readScenes()),
    checkReference(checks, await readCheckSources()),
    logEventReference(),
    await logClassReference(classes),
    { path: 'docs/reference/configuration.md', text: configReference(settings) },
  ];
}

async function isStale({ path: file, text }: Artifact): Promise<boolean> {
  const current = await readFile(path.join(ROOT, file), 'utf8').catch(() => undefined);
  return current !== text;
}

async function staleOf(all: readonly Artifact[]): Promise<Artifact[]> {
  const stale = await Promise.all(all.map(isStale));
  return all.filter((_artifact, index) => stale[index]);
}

async function write({ path: file, text }: Artifact): Promise<void> {
  const target = path.join(ROOT, file);
  await mkdir(path.dirname(target), { recursive: true });
  await writeFile(target, text);
}

export interface GenOptions {
  check: boolean;
  /** Also server/schema.sql, which takes a datastore and so a few seconds; a test compares it anyway. */
  schema: boolean;
  print: (line: string) => void;
}

/** Answers the exit code. */
async function gen({ check, schema: withSchema, print }: GenOptions): Promise<number> {
  const catalogs = await Promise.all(FILE_KINDS.map(catalog));
  // The pages read the catalogs, so these have to be right first.
  if (!check) await Promise.all((await staleOf(catalogs)).map(write));
  if (!check)
    await Promise.all((await staleOf([await namesOfChannels(), await privilegesOfTools()])).map(write));
  const all = [...(await artifacts()), ...(withSchema ? [await schema()] : [])];
  const stale = await staleOf(all);
  if (!check) await Promise.all(stale.map(write));
  for (const { path: file } of stale) print(check ? `${file} is stale: run npm run gen.` : `wrote ${file}`);
  return check && stale.length > 0 ? 1 : 0;
}

if (import.meta.main) {
  process.exitCode = await gen({
    check: process.argv.includes('--check'),
    schema: process.argv.includes('--schema'),
    print: (line) => process.stdout.write(`${line}\n`),
  });
}
