// A node_exporter page at the address the connection names. One GET, no redirects, at most 5 MB and 5 s, and only
// to addresses the guard allowed.
import { isIPv6 } from 'node:net';
import type { Agent } from 'undici';
import { errorCode } from '../../kernel/errors.ts';
import { resolveHost } from '../../monitored/resolve.ts';
import { TargetError } from '../../monitored/target-error.ts';
import { nodeExporterFacts } from './node-exporter-facts.ts';
import type { HostInput, HostSource, SourceOutcome } from './types.ts';

/** The HTTP client, loaded once a connection names an address: that takes 35 ms and 4 MB. */
const loadClient = () => import('undici');
type Client = Awaited<ReturnType<typeof loadClient>>;

const MOST_BYTES = 5_000_000;
const LIMIT_MS = 5000;

class Refused extends Error {}

/** A dispatcher that connects to the checked addresses only, whatever the name resolves to later. */
function pinnedAgent({ Agent }: Client, addresses: readonly string[]): Agent {
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return new Agent({
    maxResponseSize: MOST_BYTES,
    headersTimeout: LIMIT_MS,
    bodyTimeout: LIMIT_MS,
    connect: {
      timeout: LIMIT_MS,
      lookup: (_host, options, done) => {
        const [first] = pinned;
        if (!first) return done(new Error('no address'), '', 4);
        return options.all ? done(null, pinned) : done(null, first.address, first.family);
      },
    },
  });
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Refused('The node_exporter address of the connection is not a plain http or https address.');
  }
  if (url.pathname === '/') url.pathname = '/metrics';
  return url;
}

async function fetchPage(
  { request }: Client,
  url: URL,
  { agent, signal }: { agent: Agent; signal: AbortSignal },
): Promise<string> {
  const { statusCode, body } = await request(url, {
    dispatcher: agent,
    headers: { accept: 'text/plain; version=0.0.4' },
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
  });
  if (statusCode !== 200) {
    await body.dump().catch(() => undefined);
    throw new Refused(`The node_exporter at ${url.host} answered ${statusCode} instead of its metrics.`);
  }
  return body.text();
}

function reasonOf(error: unknown, url: string): string {
  if (error instanceof Refused || error instanceof TargetError) return error.message;
  const code = errorCode(error);
  const name = error instanceof Error ? error.name : '';
  const host = URL.canParse(url) ? new URL(url).host : 'its address';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
    return `The page of node_exporter at ${host} is larger than 5 MB.`;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${host}, where node_exporter should be.`;
  if (/Timeout|Abort/.test(name)) return `node_exporter at ${host} did not answer within 5 s.`;
  return `node_exporter at ${host} could not be read${code ? ` (${code})` : ''}.`;
}

async function read(text: string, input: HostInput): Promise<SourceOutcome> {
  const url = parseUrl(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const addresses = await resolveHost({ host, allow_private_networks: input.allow_private_networks });
  const client = await loadClient();
  const agent = pinnedAgent(client, addresses);
  try {
    const facts = nodeExporterFacts(await fetchPage(client, url, { agent, signal: input.signal }));
    if (Object.keys(facts).length > 0) return { status: 'ok', facts };
    throw new Refused(`The page at ${url.host} holds no metrics of node_exporter.`);
  } finally {
    await agent.destroy();
  }
}

const MEND_NONE =
  'Install node_exporter on the machine of the server and set node_exporter_url on the connection, e.g. http://db1:9100/metrics';
const MEND_BROKEN = 'Correct node_exporter_url on the connection, or start node_exporter there.';

async function gather(input: HostInput): Promise<SourceOutcome> {
  const address = input.node_exporter_url?.trim();
  if (!address) {
    const reason = 'The connection names no address of a node_exporter.';
    return { status: 'unavailable', reason, mend: MEND_NONE };
  }
  try {
    return await read(address, input);
  } catch (error) {
    return { status: 'unavailable', reason: reasonOf(error, address), mend: MEND_BROKEN };
  }
}

const tells: HostSource['tells'] = [
  'os_info',
  'cpu_info',
  'cpu_usage',
  'memory',
  'io',
  'disk',
  'load',
  'process_counts',
  'network',
  'pressure',
];

export const source: HostSource = { name: 'node_exporter', order: 20, tells, gather };
