// Mail by SMTP, as text and HTML. A template is the HTML of a mail; the text beside it is always ours. Mails about one
// alert belong to one thread.
import type { AlertFacts, Message } from './alert-facts.ts';
import { dedupKey } from './support/dedup-key.ts';
import { colorOf, descriptionOf, factLines, fieldsOf, headline, linkOf, titleOf } from './support/fields.ts';
import { parseTemplate, render } from './support/template.ts';
import { defineChannel, type Mail } from './types.ts';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const htmlEscape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');

function textOf(alert: AlertFacts, message: Message): string {
  const facts = factLines(alert, message).map(([name, value]) => `${name}: ${value}`);
  const link = linkOf(alert, message);
  return [titleOf(alert), '', descriptionOf(alert), '', ...facts, ...(link ? ['', link] : [])].join('\n');
}

function htmlOf(alert: AlertFacts, message: Message): string {
  const rows = factLines(alert, message).map(
    ([name, value]) =>
      `<tr><td style="padding:2px 12px 2px 0;color:#667">${htmlEscape(name)}</td><td>${htmlEscape(value)}</td></tr>`,
  );
  const link = linkOf(alert, message);
  return [
    `<h2 style="font-size:16px;border-left:4px solid ${colorOf(alert)};padding-left:8px">${htmlEscape(titleOf(alert))}</h2>`,
    `<p>${htmlEscape(descriptionOf(alert)).replaceAll('\n', '<br>')}</p>`,
    `<table style="font-size:14px">${rows.join('')}</table>`,
    ...(link ? [`<p><a href="${htmlEscape(link)}">Open in Matriarch</a></p>`] : []),
  ].join('\n');
}

function wholeHtml(message: Message): string {
  const { template, alerts } = message;
  if (template !== undefined && alerts.length === 1)
    return render(parseTemplate(template), fieldsOf(alerts[0], message), htmlEscape);
  const parts = alerts.map((alert) => htmlOf(alert, message));
  return `<!doctype html><html><body style="font-family:sans-serif">\n${parts.join('\n<hr>\n')}\n</body></html>`;
}

function mailOf(message: Message): Mail {
  return {
    subject: headline(message),
    text: message.alerts.map((alert) => textOf(alert, message)).join('\n\n---\n\n'),
    html: wholeHtml(message),
    message_id: `${message.key}@matriarch`,
    thread_id: `${dedupKey(message.alerts[0])}@matriarch`,
  };
}

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
