// A mail as HTML that mail readers draw alike: a table, styles beside each element, and a dark look where the reader has one. Pure.
// Guards: every text is escaped; nothing is loaded from anywhere.
import { htmlText } from '../../../kernel/html-text.ts';
import type { AlertFacts, Message } from '../alert-facts.ts';
import { colorOf } from './fields.ts';
import { MOST_LISTED } from './mail-text.ts';
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
} from './message-text.ts';

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

const single = (alert: AlertFacts, message: Message): string =>
  [
    `<p class="text" style="margin:0 0 16px;color:#1c1f23">${paragraphs(explanationOf(alert, message))}</p>`,
    `<table role="presentation" cellspacing="0" cellpadding="0" style="border-collapse:collapse;font-size:14px;line-height:20px">${newFacts(alert, message).map(row).join('')}</table>`,
  ].join('\n');

function partOf(alert: AlertFacts, message: Message): string {
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

function several(message: Message): string {
  const listed = gravestFirst(message).slice(0, MOST_LISTED);
  const more = message.alerts.length - listed.length;
  const rest = more > 0 ? [`<p class="name" style="color:#5b6470">and ${more} more</p>`] : [];
  return [...listed.map((alert) => partOf(alert, message)), ...rest].join('\n');
}

export function mailHtml(message: Message): string {
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
${others.length === 0 ? single(alert, message) : several(message)}
${link === undefined ? '' : `<p style="margin:18px 0 0">${anchor(link, 'Open in Matriarch')}</p>`}
</div>
</div>
</body>
</html>`;
}
