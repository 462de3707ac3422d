// Mail by SMTP, as text and as HTML that mail readers draw alike: a table, styles beside each element, and a dark look where the reader
// has one. A template is the HTML of a mail; the text beside it is always ours. Mails about one alert belong to one thread. Guards: every
// text is escaped; nothing is loaded from anywhere.
import { htmlText } from '../../kernel/html-text.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { greatest } from '../../kernel/lists.ts';
import type { AlertFacts, Message } from './alert-facts.ts';
import { colorOf, dedupKey, fieldsOf } from './support/fields.ts';
import {
  briefOf,
  explanationOf,
  gravest,
  gravestFirst,
  headline,
  linkOf,
  linkOfAll,
  newFacts,
  partTitle,
  sinceText,
} from './support/message-text.ts';
import { parseTemplate, render } from './support/template.ts';
import { defineChannel, type Mail } from './types.ts';

/** A line of a head may have 998 bytes, and lists of mails show far less. */
const SUBJECT = 250;
/** Of one message; some readers cut longer ones. */
const MOST_LISTED = 25;

function textOf(alert: AlertFacts, message: Message): string[] {
  const facts = newFacts(alert, message);
  const width = greatest(facts.map(([name]) => name.length)) + 2;
  return [
    explanationOf(alert, message),
    '',
    ...facts.map(([name, value]) => `${`${name}:`.padEnd(width)}${value}`),
  ];
}

function textPart(alert: AlertFacts, message: Message): string[] {
  const link = linkOf(alert, message);
  return [
    `[${alert.severity}] ${partTitle(alert, message)}`,
    briefOf(alert, message),
    `Since ${sinceText(alert, message)}`,
    ...(link === undefined ? [] : [link]),
  ];
}

/** Several: so many of the gravest, and how many are left out. */
function listedOf({ alerts }: Message) {
  const listed = gravestFirst({ alerts }).slice(0, MOST_LISTED);
  const more = alerts.length - listed.length;
  return { listed, rest: more > 0 ? [`and ${more} more`] : [] };
}

function textsOf(message: Message): string[] {
  const { listed, rest } = listedOf(message);
  const parts = [...listed.map((alert) => textPart(alert, message)), ...(rest.length > 0 ? [rest] : [])];
  return parts.flatMap((part, index) => (index > 0 ? ['', ...part] : part));
}

/** For readers without HTML, for pagers and for the preview on a phone, which shows its first lines. */
export function mailText(message: Message): string {
  const [alert, ...others] = message.alerts;
  const link = linkOfAll(message);
  return [
    headline(message),
    '',
    ...(others.length === 0 ? textOf(alert, message) : textsOf(message)),
    ...(link === undefined ? [] : ['', `Open in Matriarch: ${link}`]),
    '',
  ].join('\n');
}

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
/** Readers that know dark looks read these; others read the styles of the elements. */
const STYLE = `
a{color:#1f5fbf}
@media (prefers-color-scheme:dark){
body,.page{background:#15171a!important}
.card{background:#1f2226!important;border-left-color:#3a3f46!important;border-right-color:#3a3f46!important;border-bottom-color:#3a3f46!important}
.text{color:#e8eaed!important}
.name{color:#a7adb5!important}
a{color:#8ab4f8}
}`;

const paragraphs = (text: string): string => htmlText(text).replaceAll('\n', '<br>');

const anchor = (link: string, words: string): string => `<a href="${htmlText(link)}">${words}</a>`;

const row = ([name, value]: readonly [string, string]): string =>
  `<tr><td class="name" style="padding:3px 16px 3px 0;color:#5b6470;white-space:nowrap;vertical-align:top">${htmlText(name)}</td>` +
  `<td class="text" style="padding:3px 0;color:#1c1f23;word-break:break-word">${htmlText(value)}</td></tr>`;

const htmlOf = (alert: AlertFacts, message: Message): string =>
  [
    `<p class="text" style="margin:0 0 16px;color:#1c1f23">${paragraphs(explanationOf(alert, message))}</p>`,
    `<table role="presentation" cellspacing="0" cellpadding="0" style="border-collapse:collapse;font-size:14px;line-height:20px">${newFacts(alert, message).map(row).join('')}</table>`,
  ].join('\n');

function htmlPart(alert: AlertFacts, message: Message): string {
  const link = linkOf(alert, message);
  const open = link === undefined ? '' : ` · ${anchor(link, 'Open')}`;
  return [
    `<div style="border-left:4px solid ${colorOf(alert)};padding:2px 0 2px 12px;margin:0 0 14px">`,
    `<div class="text" style="font-weight:600;color:#1c1f23;word-break:break-word">${htmlText(partTitle(alert, message))}</div>`,
    `<div class="text" style="color:#1c1f23;word-break:break-word">${paragraphs(briefOf(alert, message))}</div>`,
    `<div class="name" style="color:#5b6470;font-size:13px">${alert.severity} · since ${htmlText(sinceText(alert, message))}${open}</div>`,
    '</div>',
  ].join('');
}

function htmlParts(message: Message): string {
  const { listed, rest } = listedOf(message);
  return [
    ...listed.map((alert) => htmlPart(alert, message)),
    ...rest.map((words) => `<p class="name" style="color:#5b6470">${words}</p>`),
  ].join('\n');
}

function mailHtml(message: Message): string {
  const [alert, ...others] = message.alerts;
  const head = htmlText(headline(message));
  const link = linkOfAll(message);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${head}</title>
<style>${STYLE}
</style>
</head>
<body style="margin:0;padding:0;background:#f2f3f5">
<div class="page" style="padding:16px;background:#f2f3f5">
<div class="card" style="max-width:640px;margin:0 auto;padding:20px;background:#ffffff;border:1px solid #d9dde2;border-top:6px solid ${colorOf(gravest(message))};${FONT};font-size:15px;line-height:22px">
<h1 class="text" style="margin:0 0 12px;font-size:18px;line-height:24px;color:#1c1f23;word-break:break-word">${head}</h1>
${others.length === 0 ? htmlOf(alert, message) : htmlParts(message)}
${link === undefined ? '' : `<p style="margin:18px 0 0">${anchor(link, 'Open in Matriarch')}</p>`}
</div>
</div>
</body>
</html>`;
}

function wholeHtml(message: Message): string {
  const { template, alerts } = message;
  if (template !== undefined && alerts.length === 1)
    return render(parseTemplate(template), fieldsOf(alerts[0], message), htmlText);
  return mailHtml(message);
}

const mailOf = (message: Message): Mail => ({
  subject: cutText(headline(message), SUBJECT, '…'),
  text: mailText(message),
  html: wholeHtml(message),
  message_id: `${message.key}@matriarch`,
  thread_id: `${dedupKey(message.alerts[0])}@matriarch`,
});

export const channel = defineChannel({
  name: 'email',
  display_name: 'Email',
  description: 'Mail to a list of recipients, by your own mail server.',
  members: {
    smtp_host: 'required',
    smtp_port: 'optional',
    smtp_use_tls: 'optional',
    smtp_tls_mode: 'optional',
    smtp_username: 'optional',
    smtp_password: 'optional',
    from_address: 'required',
    from_name: 'optional',
  },
  template: 'html',
  groups: true,
  body: wholeHtml,
  send: (call) => call.out.mail(call, mailOf(call.message)),
});
