// The three dimensions of a scope, each with its own choice between everything the owner has, only these, and nothing.
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useOperation } from '../../../api/use-operation.ts';
import layout from '../../../ui/layout.module.css';
import { Notice } from '../../../ui/notice.tsx';
import { PERMISSION_NAMES, permissionWords } from '../auth/rights.ts';
import { Boxes, EVERYTHING } from './checklist.tsx';
import { ConnectionGrants } from './connection-grants.tsx';
import classes from './scope-editor.module.css';
import { type DimensionName, isMode, type Mode, type ScopeDraft } from './scope-values.ts';

const CHOICES = [
  { value: 'all', label: 'Unrestricted' },
  { value: 'some', label: 'Only these' },
  { value: 'none', label: 'Nothing' },
];

const TITLES: Record<DimensionName, string> = {
  connections: 'Servers',
  mcp: 'MCP tools',
  admin: 'Admin permissions',
};

const SENTENCES: Record<DimensionName, Record<Mode, string>> = {
  connections: {
    all: 'Every server that the owner may use, also those to come.',
    some: 'Of the servers that the owner may use, only these, at most at this level.',
    none: 'No server at all.',
  },
  mcp: {
    all: 'Every MCP tool that the owner may use, also those to come.',
    some: 'Only these of the tools that the owner may use; those open to all users only when named.',
    none: 'No MCP tool at all, not even those open to all users.',
  },
  admin: {
    all: 'Everything that the owner may administer; a superuser’s token acts as superuser.',
    some: 'Of what the owner may administer, only this.',
    none: 'Administers nothing.',
  },
};

interface BlockProps {
  name: DimensionName;
  mode: Mode;
  missing: boolean;
  onMode: (mode: Mode) => void;
  children: ReactNode;
}

function Block({ name, mode, missing, onMode, children }: BlockProps) {
  const id = useId();
  return (
    <section className={classes.block} aria-labelledby={id} data-mode={mode}>
      <div className={classes.head}>
        <h3 id={id} className={classes.title}>
          {TITLES[name]}
        </h3>
        <SegmentedControl
          size="xs"
          aria-labelledby={id}
          data={CHOICES}
          value={mode}
          onChange={(value) => isMode(value) && onMode(value)}
        />
      </div>
      <p className={classes.sentence}>{SENTENCES[name][mode]}</p>
      {mode === 'some' ? children : null}
      {missing ? (
        <Notice tone="bad" role="alert">
          Choose at least one, or say “Nothing”.
        </Notice>
      ) : null}
    </section>
  );
}

export interface ScopeEditorProps {
  draft: ScopeDraft;
  /** The dimension that is not finished. */
  missing: DimensionName | undefined;
  onChange: (draft: ScopeDraft) => void;
}

export function ScopeEditor({ draft, missing, onChange }: ScopeEditorProps) {
  const privileges = useOperation('listMcpPrivileges', {}).data ?? [];
  const { connections, mcp, admin } = draft;
  const grants = connections.entries;
  const block = (name: DimensionName) => ({
    name,
    mode: draft[name].mode,
    missing: missing === name,
    onMode: (mode: Mode) => onChange({ ...draft, [name]: { ...draft[name], mode } }),
  });
  const setGrants = (entries: typeof grants) =>
    onChange({ ...draft, connections: { mode: 'some', entries } });
  return (
    <div className={layout.close}>
      <Block {...block('connections')}>
        <ConnectionGrants
          grants={grants}
          empty="No server is chosen yet."
          verb="Choose"
          onSet={(grant) => {
            const at = grants.findIndex(({ connection_id }) => connection_id === grant.connection_id);
            setGrants(at < 0 ? [...grants, grant] : grants.with(at, grant));
          }}
          onRemove={(id) => setGrants(grants.filter(({ connection_id }) => connection_id !== id))}
        />
      </Block>
      <Block {...block('mcp')}>
        <Boxes
          label="MCP tools"
          items={privileges.map(({ identifier, description }) => ({
            name: identifier,
            description: description ?? '',
          }))}
          everything="Every tool and resource, those to come too"
          chosen={mcp.entries}
          onChange={(entries) => onChange({ ...draft, mcp: { mode: 'some', entries } })}
        />
      </Block>
      <Block {...block('admin')}>
        <Boxes
          label="Admin permissions"
          items={PERMISSION_NAMES.map((name) => ({ name, description: permissionWords(name) }))}
          everything={permissionWords(EVERYTHING)}
          chosen={admin.entries}
          onChange={(entries) => onChange({ ...draft, admin: { mode: 'some', entries } })}
        />
      </Block>
    </div>
  );
}
