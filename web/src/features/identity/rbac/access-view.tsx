// What somebody may do, as tables: servers by level, MCP tools, admin permissions; each with where it comes from and
// what the scope of a token takes away. Yes and no are words and icons, never colour alone.
import { Checkbox } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { ticked } from '../../../ui/field.ts';
import { DoneIcon } from '../../../ui/icons.ts';
import { Identifier } from '../../../ui/identifier.tsx';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { EVERY_CONNECTION, LEVEL_WORDS, permissionWords } from '../auth/rights.ts';
import type { Access, ConnectionRight, Right } from './effective-access.ts';
import { OriginList } from './origin-list.tsx';
import classes from './rbac.module.css';
import rights from './rights-table.module.css';

/** More rows than anybody reads; the search reaches the rest. */
const SHOWN = 200;

function Yes({ on }: { on: boolean }) {
  return on ? (
    <span className={rights.yes}>
      <DoneIcon size={15} aria-hidden="true" /> yes
    </span>
  ) : (
    <span className={rights.none}>no</span>
  );
}

function From({ right, cut }: { right: Right; cut: string }) {
  return (
    <td>
      <OriginList origins={right.origins} />
      {right.cut ? <div className={rights.cut}>{cut}</div> : null}
    </td>
  );
}

function Frame({
  caption,
  head,
  children,
}: {
  caption: string;
  head: readonly string[];
  children: ReactNode;
}) {
  return (
    <div className={rights.frame}>
      <table className={rights.table} data-columns={head.length}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

function ConnectionRow({ right }: { right: ConnectionRight }) {
  const every = right.connection_id === EVERY_CONNECTION;
  const left = right.level
    ? `Cut by the scope to ${LEVEL_WORDS[right.level].toLowerCase()}`
    : 'Cut by the scope';
  return (
    <tr>
      <th scope="row">
        <bdi>{every ? 'Servers to come' : right.name}</bdi>
      </th>
      <td>
        <Yes on={right.held} />
      </td>
      <td>
        <Yes on={right.level === 'read_write'} />
      </td>
      <From right={right} cut={left} />
    </tr>
  );
}

function NamedRow({ right, words }: { right: Right; words: string }) {
  return (
    <tr>
      <th scope="row">
        <Identifier>{right.name}</Identifier>
        {words === '' ? null : <div className={rights.words}>{words}</div>}
      </th>
      <td>
        <Yes on={right.held} />
      </td>
      <From right={right} cut="Cut by the scope" />
    </tr>
  );
}

export interface AccessViewProps {
  access: Access;
  /** Shows only what is held, at first. */
  heldOnly?: boolean;
}

export function AccessView({ access, heldOnly = false }: AccessViewProps) {
  const [search, setSearch] = useState('');
  const [only, setOnly] = useState(heldOnly);
  const wanted = search.trim().toLowerCase();
  const shown = <R extends Right>(all: readonly R[]) =>
    all.filter((right) => right.name.toLowerCase().includes(wanted) && (!only || right.held || right.cut));
  const servers = shown(access.connections);
  const mcp = shown(access.mcp);
  const admin = shown(access.admin);
  const nothing = <p className={rights.nothing}>{only ? 'None is held.' : 'None matches.'}</p>;
  return (
    <div className={layout.stack}>
      <div className={rights.tools}>
        <SearchField label="Search rights" value={search} onChange={setSearch} />
        <Checkbox label="Only what is held" {...ticked(only, setOnly)} />
      </div>
      <div className={classes.panels}>
        <div className={layout.stack}>
          <Panel title="Servers" flush>
            {servers.length === 0 ? (
              nothing
            ) : (
              <Frame caption="Servers" head={['Server', 'Read', 'Write', 'From']}>
                {servers.slice(0, SHOWN).map((right) => (
                  <ConnectionRow key={right.connection_id} right={right} />
                ))}
              </Frame>
            )}
            {servers.length > SHOWN ? (
              <p className={rights.nothing}>and {servers.length - SHOWN} more; search to find one</p>
            ) : null}
          </Panel>
          <Panel title="Admin permissions" flush>
            {admin.length === 0 ? (
              nothing
            ) : (
              <Frame caption="Admin permissions" head={['Permission', 'Held', 'From']}>
                {admin.map((right) => (
                  <NamedRow key={right.name} right={right} words={permissionWords(right.name)} />
                ))}
              </Frame>
            )}
          </Panel>
        </div>
        <Panel title="MCP tools" flush>
          {mcp.length === 0 ? (
            nothing
          ) : (
            <Frame caption="MCP tools" head={['Tool', 'Held', 'From']}>
              {mcp.map((right) => (
                <NamedRow key={right.name} right={right} words="" />
              ))}
            </Frame>
          )}
        </Panel>
      </div>
    </div>
  );
}
