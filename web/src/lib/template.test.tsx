import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { branchesOf } from '../../tools/branches.mjs';
import { choose, Each, goTemplate, oneOf, queryValue, slots, Unless, When } from './template';

const slotted = slots({ email: '', state: '', providers: [{ id: '', name: '' }] });

test('slots become the actions that the server executes', () => {
  const markup = renderToStaticMarkup(
    <>
      <a href={choose(slotted.email, `?e=${queryValue(slotted.email)}`, '/')}>{slotted.email}</a>
      <When value={slotted.state} is="done" otherwise={<b />}>
        <i />
      </When>
      <Unless value={slotted.state} is="done">
        <s title={oneOf(slotted.state, { held: 'yes', gone: 'maybe' }, 'no')} />
      </Unless>
      <When value={slotted.providers}>
        <Each of={slotted.providers}>
          {(item) => <u title={item.id}>{choose(slotted.state, item.name, slotted.email)}</u>}
        </Each>
      </When>
    </>,
  );
  expect(goTemplate(markup)).toBe(
    '<a href="{{if $.email}}?e={{urlquery $.email}}{{else}}/{{end}}">{{html $.email}}</a>' +
      '{{if eq $.state "done"}}<i></i>{{else}}<b></b>{{end}}' +
      '{{if eq $.state "done"}}{{else}}<s title="{{if eq $.state "held"}}yes{{else}}{{if eq $.state "gone"}}maybe{{else}}no{{end}}{{end}}"></s>{{end}}' +
      '{{if $.providers}}{{range $.providers}}<u title="{{html .id}}">{{if $.state}}{{html .name}}{{else}}{{html $.email}}{{end}}</u>{{end}}{{end}}',
  );
});

test('plain values are rendered as they are', () => {
  expect(choose('', 'yes', 'no')).toBe('no');
  expect(oneOf<string>('done', { held: 'maybe', done: 'yes' }, 'no')).toBe('yes');
  expect(oneOf<string>('done', { held: 'yes' }, 'no')).toBe('no');
  expect(renderToStaticMarkup(<When value="">x</When>)).toBe('');
  expect(renderToStaticMarkup(<When value={[1]}>x</When>)).toBe('x');
  expect(renderToStaticMarkup(<Unless value="">x</Unless>)).toBe('x');
  expect(renderToStaticMarkup(<Unless value="a">x</Unless>)).toBe('');
});

test("a query value is escaped like Go's url.QueryEscape", () => {
  expect(queryValue("/a b?c=d&e='(*)~!é")).toBe('%2Fa+b%3Fc%3Dd%26e%3D%27%28%2A%29~%21%C3%A9');
});

test('a branch on boot data that the build would decide is found', () => {
  const found = branchesOf(`import type { Boot, Flow } from '../../api/schema.gen';
    function Page({ boot, busy }: { boot: Boot; busy: boolean }) {
      const { flow: { kind } } = boot;
      const state = boot.link.state;
      const ask = () => (boot.again ? go() : stay());
      if (boot.again) return null;
      return (
        <Each of={boot.list}>
          {(item) => (
            <p title={kind === 'code' ? 'a' : 'b'} onClick={() => boot.again && go()}>
              {!state && item.name}
              {busy ? 'c' : choose(boot.again, 'd', 'e')}
            </p>
          )}
        </Each>
      );
    }
    const titleOf = (flow: Flow) => (flow.email ? 'f' : 'g');
    function go(boot: Boot) {
      if (boot.next) location.assign(boot.next);
    }`);
  expect(found).toEqual([6, 10, 11, 18]);
});
