// Bodies in JSON, ours or from a template, and what every channel over HTTP sends with them. Guards: a template that
// does not yield JSON for this alert gives way to the built-in body, so that nobody stays untold for a typing mistake.
import type { AlertFacts, Message } from '../alert-facts.ts';
import { DeliveryError, type Header, type SendCall } from '../types.ts';
import { fieldsOf } from './fields.ts';
import { parseTemplate, render } from './template.ts';

const jsonEscape = (value: string): string => JSON.stringify(value).slice(1, -1);

export interface JsonBody {
  message: Message;
  /** What the channel says by itself. */
  builtIn: object;
  asText?: (value: string) => string;
}

/** The template's text for one alert. Throws a TemplateError. */
function renderJson(
  source: string,
  alert: AlertFacts,
  { message, asText = (value) => value }: Omit<JsonBody, 'builtIn'>,
): string {
  return render(parseTemplate(source), fieldsOf(alert, message), (value) => jsonEscape(asText(value)));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the template's text for that alert is no JSON. Throws a TemplateError. */
export function jsonProblem(source: string, alert: AlertFacts, kind: Message['kind']): boolean {
  const message: Message = {
    kind,
    key: '',
    timestamp: alert.cleared_at ?? alert.triggered_at,
    alerts: [alert],
  };
  return !isJson(renderJson(source, alert, { message }));
}

export function jsonBody(wanted: JsonBody): string {
  const { message, builtIn } = wanted;
  const { template, alerts } = message;
  if (template === undefined || alerts.length > 1) return JSON.stringify(builtIn);
  const text = renderJson(template, alerts[0], wanted);
  return isJson(text) ? text : JSON.stringify(builtIn);
}

/** `user:password`, the token, or `Header-Name: value`. */
function authHeader({ config, secrets }: SendCall): Record<string, string> {
  const type = config.auth_type ?? 'none';
  const credentials = secrets.auth_credentials?.reveal();
  if (type === 'none') return {};
  if (credentials === undefined) throw new DeliveryError('The channel has no auth_credentials.');
  if (type === 'bearer') return { authorization: `Bearer ${credentials}` };
  if (type === 'basic') return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(credentials) ?? [];
  return { [name.trim().toLowerCase()]: value };
}

const own = (headers: readonly Header[]) =>
  Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value.reveal()]));

/** Headers of the channel win over ours, but for the key that makes repetitions recognisable. */
export function jsonHeaders(call: SendCall): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Matriarch',
    ...own(call.headers),
    ...authHeader(call),
    'idempotency-key': call.message.key,
  };
}

/** Posts to the address that is the secret itself. */
export async function postToWebhook(call: SendCall, body: string): Promise<string> {
  const url = call.secrets.webhook_url?.reveal();
  if (url === undefined) throw new DeliveryError('The channel has no webhook_url.');
  return call.out.http({ url, method: 'POST', headers: jsonHeaders(call), body });
}
