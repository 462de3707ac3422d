// The shape of a command: one file each in commands/, pure data plus `run`. A command prints through the writers it
// is given, so tests run it as a function, and takes secrets from a prompt or a pipe, never from its arguments.

import { open } from 'node:fs/promises';
import type { Ctx } from '../identity/access/principal.ts';
import { systemPrincipal } from '../identity/audit/audit.service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import type { Database } from '../kernel/db.ts';
import { UsageError } from '../kernel/errors.ts';
import { fileProblem } from '../kernel/file-problem.ts';
import { inertLine } from '../kernel/inert-text.ts';
import { greatest } from '../kernel/lists.ts';
import type { Log } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';

export interface CliIo {
  /** One line of what was asked for, to standard output. */
  out(line: string): void;
  /** One line for the person, to standard error. */
  err(line: string): void;
  /** True when a person sits at a terminal, so that a secret is asked for twice. */
  interactive: boolean;
  /** Columns of the terminal, where there is one. */
  width?: number | undefined;
  /** Whether standard output shows colours. */
  isColoured?: boolean;
  /** A line from the terminal without echo, or the next line of what is piped in. */
  readSecret(prompt: string): Promise<Secret>;
  /** The datastore, opened and brought up to date at first use; whoever made the io closes it. */
  db(): Promise<Database>;
  /** Brings the datastore up to date, like `db()`; answers the names of what was applied. */
  migrate(): Promise<string[]>;
  clock: Clock;
  log: Log;
  /** The settings, read at first use. */
  config(): Config;
}

export interface CommandOption {
  /** As commander writes it: `--name <text>`, or `--json` for a switch. */
  flags: string;
  description: string;
}

interface CommandArgument {
  name: string;
  description: string;
  optional?: true;
  /** Given once or several times; the last one of a command. */
  many?: true;
}

export interface CommandArgs {
  /** A positional argument; commander has made sure that required ones are there, an optional one may be ''. */
  argument(name: string): string;
  /** All of an argument that may be given several times. */
  list(name: string): readonly string[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
}

export interface Command {
  /** `['user', 'create']` is `matriarch user create`. */
  path: readonly string[];
  summary: string;
  /** More for `--help`. */
  details?: string;
  /** Positional arguments, in order; optional ones come last. */
  arguments?: readonly CommandArgument[];
  options: readonly CommandOption[];
  /** Makes the embedded datastore where there is none; every other command needs one that is there. */
  makesDatastore?: true;
  /** Of mistakes of the person, where 1 says something else; commander's own among them. */
  usageStatus?: number;
  /** Answers the exit code; UsageError and Fault are printed as their sentence with exit code 1. */
  run(io: CliIo, args: CommandArgs): Promise<number>;
}

/** The context of the command line: whoever may run it on this host has every right. */
export async function commandCtx(io: CliIo): Promise<Ctx> {
  return {
    db: await io.db(),
    clock: io.clock,
    log: io.log,
    signal: new AbortController().signal,
    principal: systemPrincipal('cli'),
  };
}

const LONGEST_FILE = 4096;

async function secretFromFile(path: string): Promise<Secret> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(LONGEST_FILE), 0, LONGEST_FILE, 0);
      const password = buffer.toString('utf8', 0, bytesRead).replace(/\r?\n$/, '');
      if (password === '')
        throw new UsageError(`The password file ${path} is empty: write the password in it.`);
      return new Secret(password);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`The password file ${path} ${fileProblem(cause)}.`);
  }
}

/** A new password: from a file, a pipe, or asked for twice at a terminal. */
export async function readNewPassword(io: CliIo, path: string | undefined): Promise<Secret> {
  if (path !== undefined) return secretFromFile(path);
  const password = await io.readSecret('New password: ');
  if (password.reveal() === '') throw new UsageError('No password was given.');
  if (!io.interactive) return password;
  const again = await io.readSecret('Once more: ');
  if (again.reveal() !== password.reveal()) throw new UsageError('The two passwords are not the same.');
  return password;
}

/** Prints rows as aligned columns, with a head. Control characters of stored names never reach the terminal. */
export function printTable(
  io: Pick<CliIo, 'out'>,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const lines = [head, ...rows].map((row) => row.map(inertLine));
  const widths = head.map((_title, column) => greatest(lines.map((row) => (row[column] ?? '').length)));
  for (const row of lines)
    io.out(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** Ids of the datastore; larger ones are of nothing. */
const MAX_ID = 2_147_483_647;

/** An option that is a number from 1 on. */
export function readNumber(args: CommandArgs, option: string, most = MAX_ID): number | undefined {
  const text = args.text(option);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new UsageError(`--${option}: give a number from 1 to ${most}.`);
  return value;
}

/** An option that is one of some words. */
export function readWord<T extends string>(
  args: CommandArgs,
  option: string,
  words: readonly T[],
): T | undefined {
  const text = args.text(option);
  const word = words.find((known) => known === text);
  if (text !== undefined && word === undefined)
    throw new UsageError(`--${option}: give one of ${words.join(', ')}.`);
  return word;
}

/** The argument `id`; `what` such as 'an alert'. */
export function readId(args: CommandArgs, what: string): number {
  const text = args.argument('id');
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id === 0 || id > MAX_ID) throw new UsageError(`Give the id of ${what}, such as 17.`);
  return id;
}
