/** Scripts that let a shell complete commands and options, made from the tree of commands. */
import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What may follow a command, by the words of the command. */
function wordsOf(command: Command, path: readonly string[] = []): [string, string][] {
  const commands = command.commands.map((one) => one.name())
  const options = command.options.map((one) => one.long ?? one.short ?? '')
  const own: [string, string] = [path.join(' '), [...commands, ...options, '--help'].join(' ')]
  return [own, ...command.commands.flatMap((one) => wordsOf(one, [...path, one.name()]))]
}

export function completionScript(program: Command, shell: Shell): string {
  const words = wordsOf(program)
  if (shell === 'fish') return fishScript(words)
  const begin = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  return `${begin}_cupel_words() {
  case "$1" in
${words.map(([path, following]) => `    '${path}') echo '${following}' ;;`).join('\n')}
    *) return 1 ;;
  esac
}
_cupel() {
  local path='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if _cupel_words "\${path:+$path }$word" >/dev/null; then path="\${path:+$path }$word"; fi
  done
  COMPREPLY=($(compgen -W "$(_cupel_words "$path")" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _cupel cupel`
}

function fishScript(words: readonly (readonly [string, string])[]): string {
  return `function __cupel_words
  set -l path
  for word in (commandline -opc)[2..]
    if contains -- (string join ' ' $path $word) ${words.map(([path]) => `'${path}'`).join(' ')}
      set path $path $word
    end
  end
  switch (string join ' ' $path)
${words.map(([path, following]) => `    case '${path}'\n      string split ' ' '${following}'`).join('\n')}
  end
end
complete -c cupel -a '(__cupel_words)'`
}
