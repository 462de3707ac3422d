// What the connection form holds, from and to the wire. Text while it is typed; checked as a whole before it is sent.

import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { Connection, ConnectionBody, ConnectionTest } from '../../../api/types.ts';
import type { ConnectionFields } from '../../../lib/connection-url.ts';

export type SslMode = NonNullable<ConnectionBody['ssl_mode']>;
type TestBody = OperationTypes['testConnection']['body'];
type UpdateBody = OperationTypes['updateConnection']['body'];

export const SSL_CHOICES = [
  { value: 'prefer', label: 'prefer: encrypt when the server offers it' },
  { value: 'require', label: 'require: always encrypt, trust any certificate' },
  { value: 'verify-ca', label: 'verify-ca: encrypt and check who signed it' },
  { value: 'verify-full', label: 'verify-full: check the host name too' },
  { value: 'allow', label: 'allow: encrypt only when the server insists' },
  { value: 'disable', label: 'disable: never encrypt' },
] as const satisfies readonly { value: SslMode; label: string }[];

export interface FormValues {
  name: string;
  description: string;
  /** Separated by commas. */
  tags: string;
  host: string;
  port: string;
  database_name: string;
  username: string;
  password: string;
  /** Name of the source that the password comes from; empty where it is typed in. */
  password_source: string;
  ssl_mode: SslMode;
  ssl_root_cert_path: string;
  ssl_cert_path: string;
  ssl_key_path: string;
  node_exporter_url: string;
  is_shared: boolean;
  is_monitored: boolean;
}
export type Field = keyof FormValues;
export type Problems = Partial<Record<Field, string>>;

export const EMPTY: FormValues = {
  name: '',
  description: '',
  tags: '',
  host: '',
  port: '5432',
  database_name: 'postgres',
  username: '',
  password: '',
  password_source: '',
  ssl_mode: 'prefer',
  ssl_root_cert_path: '',
  ssl_cert_path: '',
  ssl_key_path: '',
  node_exporter_url: '',
  is_shared: false,
  is_monitored: true,
};

/** A stored connection; its password never comes back, so the field starts empty and empty keeps it. */
export function valuesOf(connection: Connection): FormValues {
  return {
    name: connection.name,
    description: connection.description,
    tags: (connection.tags ?? []).join(', '),
    host: connection.host,
    port: String(connection.port),
    database_name: connection.database_name,
    username: connection.username,
    password: '',
    password_source: connection.password_source ?? '',
    ssl_mode: connection.ssl_mode ?? 'prefer',
    ssl_root_cert_path: connection.ssl_root_cert_path ?? '',
    ssl_cert_path: connection.ssl_cert_path ?? '',
    ssl_key_path: connection.ssl_key_path ?? '',
    node_exporter_url: connection.node_exporter_url ?? '',
    is_shared: connection.is_shared,
    is_monitored: connection.is_monitored,
  };
}

/** Fills in what was pasted; an address without a port means the usual one. */
export function withPasted(values: FormValues, pasted: ConnectionFields): FormValues {
  const { port = pasted.host === undefined ? undefined : 5432, ssl_mode, ...texts } = pasted;
  const mode = SSL_CHOICES.find((choice) => choice.value === ssl_mode)?.value;
  return {
    ...values,
    ...texts,
    ...(port === undefined ? {} : { port: String(port) }),
    ...(mode === undefined ? {} : { ssl_mode: mode }),
  };
}

/** What a server is called that nobody named: as it calls itself, or by where it is. */
export function defaultName(values: FormValues, clusterName: string | null | undefined): string {
  if (clusterName) return clusterName;
  const host = values.host.trim();
  return host === '' ? '' : `${host.includes(':') ? `[${host}]` : host}:${values.port.trim()}`;
}

export const named = (values: FormValues, clusterName?: string | null): FormValues =>
  values.name.trim() === '' ? { ...values, name: defaultName(values, clusterName) } : values;

const MOST_TAGS = 20;
const MOST_TAG = 63;

const tagsOf = ({ tags }: FormValues) => [
  ...new Set(
    tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];

/** What keeps the values from being sent, by field, in the words shown under it. */
export function problemsOf(values: FormValues): Problems {
  const problems: Problems = {};
  const port = Number(values.port);
  if (values.host.trim() === '') problems.host = 'Type a host name or an address.';
  if (!/^\d+$/.test(values.port.trim()) || port < 1 || port > 65535)
    problems.port = 'A number from 1 to 65535.';
  if (values.database_name.trim() === '') problems.database_name = 'Type the database to connect to.';
  if (values.username.trim() === '') problems.username = 'Type the role to sign in as.';
  if (values.node_exporter_url.trim() !== '' && !/^https?:\/\/[^/]/i.test(values.node_exporter_url.trim())) {
    problems.node_exporter_url = 'An address that begins with http:// or https://.';
  }
  const tags = tagsOf(values);
  if (tags.length > MOST_TAGS || tags.some((tag) => tag.length > MOST_TAG))
    problems.tags = `At most ${MOST_TAGS} tags of ${MOST_TAG} characters.`;
  return problems;
}

function addressOf(values: FormValues) {
  return {
    host: values.host.trim(),
    port: Number(values.port),
    database_name: values.database_name.trim(),
    username: values.username.trim(),
    ssl_mode: values.ssl_mode,
  };
}

const sourceOf = ({ password_source }: FormValues) => (password_source === '' ? {} : { password_source });

const OPTIONAL_TEXTS = ['ssl_root_cert_path', 'ssl_cert_path', 'ssl_key_path'] as const;

/** Optional texts that were filled in; an empty one is not sent at all. */
function filled(values: FormValues) {
  return Object.fromEntries(
    OPTIONAL_TEXTS.map((name) => [name, values[name].trim()] as const).filter(([, value]) => value !== ''),
  );
}

export function createBody(values: FormValues): ConnectionBody {
  const exporter = values.node_exporter_url.trim();
  return {
    ...addressOf(values),
    ...filled(values),
    name: values.name.trim(),
    password: values.password,
    ...sourceOf(values),
    description: values.description.trim(),
    ...(tagsOf(values).length > 0 && { tags: tagsOf(values) }),
    is_shared: values.is_shared,
    is_monitored: values.is_monitored,
    ...(exporter === '' ? {} : { node_exporter_url: exporter }),
  };
}

/** Everything but an untouched password: an empty text clears an optional member, an absent password keeps it. */
export function updateBody(values: FormValues): UpdateBody {
  return {
    ...addressOf(values),
    name: values.name.trim(),
    description: values.description.trim(),
    tags: tagsOf(values),
    ssl_root_cert_path: values.ssl_root_cert_path.trim(),
    ssl_cert_path: values.ssl_cert_path.trim(),
    ssl_key_path: values.ssl_key_path.trim(),
    node_exporter_url: values.node_exporter_url.trim(),
    is_shared: values.is_shared,
    is_monitored: values.is_monitored,
    password_source: values.password_source,
    ...(values.password === '' ? {} : { password: values.password }),
  };
}

/** A stored connection is tried as it would be saved: an empty text clears, an absent password is the stored one. */
export function testBody(values: FormValues, id: number | undefined): TestBody {
  if (id === undefined)
    return { ...addressOf(values), ...filled(values), password: values.password, ...sourceOf(values) };
  return {
    ...addressOf(values),
    ...Object.fromEntries(OPTIONAL_TEXTS.map((name) => [name, values[name].trim()])),
    id,
    password_source: values.password_source,
    ...(values.password === '' ? {} : { password: values.password }),
  };
}

/** The fields a test depends on, as one text: when it changes, the last result no longer speaks for the form. */
export function testSubject(values: FormValues): string {
  const { password, password_source } = values;
  return JSON.stringify({ ...addressOf(values), ...filled(values), password, password_source });
}

export type Verdict = 'untested' | 'ok' | 'warnings' | 'failed';

export function verdictOf(test: ConnectionTest | undefined): Verdict {
  if (test === undefined) return 'untested';
  if (!test.success) return 'failed';
  return test.steps.some((step) => step.status === 'warning') ? 'warnings' : 'ok';
}
