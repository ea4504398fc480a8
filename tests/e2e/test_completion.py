# SPDX-License-Identifier: MIT
"""Completion in the real shells: each row is a command line and what it completes to."""
import os
import subprocess

from e2e import SAMPLES, TALLY, contains, equal, main, need_program, succeed, tally

ENVIRONMENT = dict(os.environ, PATH=os.path.dirname(TALLY) + ":" + os.environ["PATH"], TERM="dumb",
                   XDG_DATA_HOME="/nonexistent")
HSW = f"{SAMPLES}/hsw.i915-perf"

# A command line up to the cursor, and all words that the last one can become; "..." stands for more.
ROWS = [
    ("tally rep", ["report"]),
    ("tally report --format js", ["jsonl"]),
    ("tally report --format=js", ["--format=jsonl"]),
    ("tally report -fjs", ["-fjsonl"]),
    ("tally report --fail", ["--fail-on-loss"]),
    ("tally report -q --qu", []),
    ("tally list pl", ["platforms"]),
    ("tally explain --platform hs", ["hsw"]),
    ("tally list --chipset gf11", ["gf110", "gf114", "gf116", "gf117", "gf119"]),
    ("tally list --domain HUB6", ["HUB6"]),
    ("tally record -d sim:h", ["sim:hsw", "sim:hsw/gt1", "sim:hsw/gt2", "sim:hsw/gt3"]),
    ("tally record --device=sim:skl/", ["--device=sim:skl/gt1", "--device=sim:skl/gt1.5", "--device=sim:skl/gt2", "--device=sim:skl/gt3",
                                        "--device=sim:skl/gt4"]),
    ("tally record -d sim:", ["sim:hsw", "sim:g92", "..."]),
    ("tally emulate -d sim:tg", ["sim:tgl", "..."]),
    ("tally vm -d no", ["none"]),
    ("tally record -p 8", ["80us"]),
    ("tally record --clock f", ["free"]),
    ("tally emulate --clock ", ["virtual", "wall"]),
    ("tally record --workload=tri", ["--workload=triangle"]),
    ("tally record --workload tri", ["triangle"]),
    ("tally record --fault los", ["lossy"]),
    ("tally record -d sim:skl -m RenderB", ["RenderBasic"]),
    ("tally record -d sim:g92 -m Tex", ["Texture"]),
    ("tally record --fuses slice=0x1,sub", ["slice=0x1,subslice="]),
    ("tally report --by int", ["interval="]),
    ("tally list counters RenderB", ["RenderBasic"]),
    ("tally list registers --platform hsw OACONT", ["OACONTROL"]),
    ("tally list registers --chipset g92 CTR_ST", ["CTR_START", "CTR_STOP"]),
    ("tally explain hsw:OACONT", ["hsw:OACONTROL"]),
    ("tally explain RenderBasic.EuAc", ["RenderBasic.EuActive"]),
    ("tally explain g92 PGRAPH.ID", ["PGRAPH.IDLE"]),
    ("tally mmio dum", ["dump"]),
    ("tally mmio read sim:g9", ["sim:g92", "sim:g94", "sim:g96", "sim:g98"]),
    ("tally mmio read sim:g92 CTR_PR", ["CTR_PRE"]),
    (f"tally report {HSW} -c GpuB", ["GpuBusy"]),
    (f"tally report {HSW} -c GpuBusy,EuAc", ["GpuBusy,EuActive"]),
    (f"tally report {SAMPLES}/hsw", [HSW]),
    (f"tally report --output={SAMPLES}/hsw", [f"--output={HSW}"]),
    ("tally completion z", ["zsh"]),
    ("tally help rep", ["report"]),
    ("tally emulate -d sim:skl -- tally rep", ["report"]),
    ("tally emulate -- tally record -d sim:hsw/gt", ["sim:hsw/gt1", "sim:hsw/gt2", "sim:hsw/gt3"]),
    ("tally emulate --log=x -- tal", ["tally", "..."]),
    (f"tally record -t 1s cat {SAMPLES}/hsw", [HSW]),
]


def compare(shell, complete):
    for line, expected in ROWS:
        got = sorted(complete(line))
        if "..." in expected:
            for word in expected[:-1]:
                contains(got, word, f"{shell}: {line}")
        else:
            equal(got, sorted(expected), f"{shell}: {line}")


def test_words():
    """The command by itself: candidates with descriptions, and directives."""
    equal(succeed("__complete", "--", "rep"), "report\tCompute metrics from a recording.\n")
    equal(succeed("__complete", "--", "record", "--workload=tri"), "triangle\n:prefix 11\n:files\n")
    equal(succeed("__complete", "--", "emulate", "-d", "sim:hsw", "--", "ls", "-"), ":command 4\n")
    equal(succeed("__complete", "--", "nonsense", ""), "")
    contains(succeed("__complete", "--", "list", ""), "platforms\n")
    equal(tally("__complete").returncode, 2)


def test_every_value_has_a_kind():
    """Each option of each command, and its operands: no placeholder of the tables is offered as a word."""
    commands = [line.split("\t")[0] for line in succeed("__complete", "--", "").splitlines()]
    for command in commands:
        options = [line.split("\t")[0] for line in succeed("__complete", "--", command, "--").splitlines()]
        assert "--help" in options, command
        for words in [[command], *([command, option] for option in options)]:
            out = succeed("__complete", "--", *words, "")
            assert "<" not in "".join(line.split("\t")[0] for line in out.splitlines()), (words, out)


BASH = r"""
source <(tally completion bash)
# Breaks a line into words as readline does: at blanks, and at : and =.
break_words() {
    COMP_WORDS=()
    local rest=$1 word
    while [[ $rest =~ ^[[:blank:]]*([:=]+|[^[:blank:]:=]+)(.*)$ ]]; do
        COMP_WORDS+=("${BASH_REMATCH[1]}")
        rest=${BASH_REMATCH[2]}
    done
    [[ $1 == *[[:blank:]] ]] && COMP_WORDS+=("")
}
while IFS= read -r line; do
    break_words "$line"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    if [[ $MODE == words ]]; then COMP_LINE= COMP_POINT=0; else COMP_LINE=$line COMP_POINT=${#line}; fi
    last=${COMP_WORDS[COMP_CWORD]}
    [[ $last =~ ^[:=]+$ ]] && last=
    COMPREPLY=()
    _tally tally "$last" ""
    # What readline makes of the last word: the reply replaces the last piece.
    whole=${line##*[[:blank:]]}
    for reply in "${COMPREPLY[@]}"; do printf '%s%s\t' "${whole%"$last"}" "$reply"; done
    echo
done
"""


def bash_lines(mode):
    lines = [line for line, expected in ROWS]
    done = subprocess.run(["bash", "--norc", "-c", BASH], input="\n".join(lines) + "\n", capture_output=True, text=True,
                          env=dict(ENVIRONMENT, MODE=mode), timeout=120)
    equal(done.stderr, "")
    return dict(zip(lines, [[word for word in out.split("\t") if word] for out in done.stdout.split("\n")]))


def test_bash():
    """With COMP_LINE, and by COMP_WORDS alone."""
    need_program("bash")
    for mode in ["line", "words"]:
        results = bash_lines(mode)
        compare("bash", results.__getitem__)


ZSH = r"""
zmodload zsh/zpty
zpty shell zsh -f -i
read_until() {
    local text=
    while zpty -r shell part; do
        text+=$part
        [[ $text == *$1* ]] && break
    done
    REPLY=$text
}
zpty -w shell 'PS1= PROMPT_EOL_MARK= ; unsetopt zle_bracketed_paste 2>/dev/null; stty -echo; LISTMAX=10000'
zpty -w shell 'autoload -Uz compinit && compinit -u -D; source <(tally completion zsh)'
# Prints the matches as they would be inserted, in place of a list.
zpty -w shell 'compadd() {
    [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]] && { builtin compadd "$@"; return $? }
    local -a matches
    builtin compadd -A matches "$@"
    local -a opts; zparseopts -E -a opts P: S: p: s: i: I: W:
    local m
    for m in $matches; do found+=("$IPREFIX${opts[(r)-p*]:+${opts[$opts[(i)-p*]+1]}}$m"); done
    builtin compadd "$@"
}'
zpty -w shell 'show() { found=(); _main_complete; print -r -- "<<${(pj:\t:u)found}>>"; compstate[insert]=; compstate[list]=; }'
zpty -w shell 'zle -C show complete-word show; bindkey "^I" show; print rea""dy'
read_until ready
while IFS= read -r line; do
    zpty -w -n shell "$line"$'\t'
    read_until '>>'
    REPLY=${REPLY##*<<}
    print -r -- "${REPLY%%>>*}"
    zpty -w -n shell $'\x15'
done
zpty -d shell
"""


def test_zsh():
    need_program("zsh")
    lines = [line for line, expected in ROWS]
    done = subprocess.run(["zsh", "-f", "-c", ZSH], input="\n".join(lines) + "\n", capture_output=True, text=True,
                          env=ENVIRONMENT, timeout=300)
    outs = done.stdout.replace("\r", "").split("\n")
    results = dict(zip(lines, [[word for word in out.split("\t") if word] for out in outs]))
    compare("zsh", results.__getitem__)


def test_fish(directory):
    need_program("fish")
    with open(os.path.join(directory, "tally.fish"), "w", encoding="utf-8") as file:
        file.write(succeed("completion", "fish"))

    def complete(line):
        done = subprocess.run(["fish", "--no-config", "-c", f"source {directory}/tally.fish; complete -C $argv[1]", line],
                              capture_output=True, text=True, env=dict(ENVIRONMENT, HOME=directory, XDG_DATA_HOME=directory), timeout=60)
        return [out.split("\t")[0] for out in done.stdout.splitlines()]

    compare("fish", complete)


if __name__ == "__main__":
    main()
