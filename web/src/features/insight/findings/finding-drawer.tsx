// A finding beside the list from which it was opened. Guards: the address says which one is open; Escape closes it, and the focus goes
// back to its row; the question to the chat closes it, since the chat has its place on the same side.
import { ActionIcon, Drawer } from '@mantine/core';
import { type ReactNode, useCallback, useRef, useState } from 'react';
import { Link } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { AskAboutContext, useAskAbout } from '../../../ui/ask-about.ts';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import forms from '../../../ui/form.module.css';
import { CloseIcon } from '../../../ui/icons.ts';
import { Name } from '../../../ui/name.tsx';
import { Query } from '../../../ui/query.tsx';
import { aboutFinding } from './finding-about.ts';
import { FindingBody } from './finding-body.tsx';
import { type FindingDetail, findingPath, STATE_WORDS } from './finding-words.ts';
import classes from './findings.module.css';
import { MuteButton } from './mute-dialog.tsx';
import { StandsStill } from './unjudged.tsx';

const EVERY_MS = 15_000;

/** The finding that the address names; undefined: none. */
function openId(text: string): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;
  return id !== undefined && Number.isSafeInteger(id) ? id : undefined;
}

const linkOf = (id: number | undefined) =>
  document.querySelector<HTMLElement>(`[data-row-link][data-finding="${id}"]`);

interface DrawerHeadProps {
  title: string;
  facts: ReactNode;
  actions: ReactNode;
  onClose: () => void;
}

function DrawerHead({ title, facts, actions, onClose }: DrawerHeadProps) {
  return (
    <div className={classes.drawerHead}>
      <div className={classes.drawerTitle}>
        <h2>{title}</h2>
        <p className={classes.remark}>{facts}</p>
      </div>
      <div className={forms.actions}>
        {actions}
        <ActionIcon
          variant="subtle"
          size={32}
          aria-label="Close the finding"
          onClick={onClose}
          data-autofocus
        >
          <CloseIcon size={18} />
        </ActionIcon>
      </div>
    </div>
  );
}

interface OpenProps {
  detail: FindingDetail;
  onClose: () => void;
  onMuting: (isOpen: boolean) => void;
}

function OpenFinding({ detail, onClose, onMuting }: OpenProps) {
  const { finding } = detail;
  const ask = useAskAbout();
  return (
    <>
      <DrawerHead
        title={finding.title}
        onClose={onClose}
        facts={
          <>
            <Link className="link" to={`/servers/${finding.connection_id}?tab=findings`}>
              <Name>{finding.server_name}</Name>
            </Link>{' '}
            · {STATE_WORDS[finding.state].toLowerCase()} ·{' '}
            <Link className="link" to={findingPath(finding.id)}>
              Open as a page
            </Link>
          </>
        }
        actions={
          <>
            <AskAboutContext
              value={
                ask &&
                ((question) => {
                  onClose();
                  ask(question);
                })
              }
            >
              <ExplainButton what={finding.title} question={() => aboutFinding(detail)} />
            </AskAboutContext>
            <MuteButton detail={detail} onOpened={onMuting} />
          </>
        }
      />
      <FindingBody detail={detail} />
    </>
  );
}

function DrawerContent({ id, ...shared }: { id: number } & Omit<OpenProps, 'detail'>) {
  const found = useOperation('getFinding', { params: { id } }, { everyMs: EVERY_MS });
  if (found.data)
    return (
      <>
        <StandsStill query={found} />
        <OpenFinding detail={found.data} {...shared} />
      </>
    );
  return (
    <>
      <DrawerHead title={`Finding ${id}`} facts={'\u00a0'} actions={null} onClose={shared.onClose} />
      <Query query={found} what="the finding" lines={6} />
    </>
  );
}

export function FindingDrawer() {
  const [text, setText] = useUrlText('finding');
  const id = openId(text);
  const last = useRef(id);
  if (id !== undefined) last.current = id;
  const [isMuting, setMuting] = useState(false);
  const close = useCallback(() => setText(''), [setText]);
  return (
    <Drawer.Root
      opened={id !== undefined}
      onClose={close}
      // Escape closes the dialog over it first.
      closeOnEscape={!isMuting}
      onExitTransitionEnd={() => linkOf(last.current)?.focus()}
      returnFocus={false}
      position="right"
      size="min(760px, 100vw)"
      lockScroll={false}
    >
      <Drawer.Overlay backgroundOpacity={0.35} />
      <Drawer.Content aria-label="Finding" classNames={{ content: classes.drawer }}>
        <Drawer.Body className={classes.drawerBody}>
          {id === undefined ? null : <DrawerContent key={id} id={id} onClose={close} onMuting={setMuting} />}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
